//! What may be written: drives, files and processes of made machines, loop devices and namespaces.

mod support;

mod contents_of_devices;
mod discards_of_targets;
mod file_users;
mod files;
mod loop_devices;
mod namespaces;
mod shown_machines;
mod shown_users;
mod twins;
mod uses_on_devices;
