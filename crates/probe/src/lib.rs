//! Reads the machine and never writes to it: the environment, a drive's settings, its health, its temperature.

#![forbid(unsafe_code)]
