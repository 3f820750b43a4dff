"""Commands that print the numbers the README states. Each runs offline; some need a folder of traces."""
