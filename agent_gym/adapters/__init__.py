"""Thin translations of an Episode, one package a framework; each needs the extra of its name."""
