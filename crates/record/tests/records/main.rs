//! Records on disk: what is written, killed, damaged and read.

mod support;

mod corpus;
mod folder;
mod killed;
mod manifest;
mod phases;
mod synced;
mod traced;
