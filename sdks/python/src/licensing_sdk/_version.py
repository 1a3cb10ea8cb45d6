"""The version of the package."""

VERSION = "1.4.0"
