"""Packages of the command for this platform: what is in them, how they are made, and that they can be installed."""
