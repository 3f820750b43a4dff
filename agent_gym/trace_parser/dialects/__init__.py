"""Provider messages in, `Message` out: the only place that knows how vendors write a message."""
