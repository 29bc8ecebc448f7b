//! What is done by plain system calls, on files and loop devices and with the kernel's tracefs.

mod loop_devices;
mod targets;
mod tracer;
