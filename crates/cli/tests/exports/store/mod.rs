//! Exports to an object store: outages, kills and refusals.

#[cfg(feature = "object-store")]
mod http;
#[cfg(feature = "object-store")]
mod outages;
#[cfg(feature = "object-store")]
mod proxy;
#[cfg(feature = "object-store")]
mod recording;
#[cfg(feature = "object-store")]
mod refused;
#[cfg(feature = "object-store")]
mod server;

use crate::common::{drivelab, folder, text};

#[cfg(not(feature = "object-store"))]
#[test]
fn a_build_without_object_stores_says_how_to_get_one() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&[
        "load",
        "sim:consistent?size=256MiB",
        "--rw",
        "randread",
        "--duration",
        "1s",
        "-o",
        text(&run),
    ])
    .with_code(0);
    let said = ["this build of drivelab has no object stores", "--features object-store"];
    drivelab(&["export", text(&run), "--destination", "s3://bucket/fleet"]).fails_in_one_line(2, &said);
    drivelab(&["fleet", "report", "s3://bucket/fleet"]).fails_in_one_line(2, &said);
}

#[test]
fn an_address_that_is_none_says_how_one_is_written() {
    let folder = folder();
    for address in ["s3:/bucket/fleet", "s3://", "s3:///fleet", "gs://bucket/fleet", "s3://bucket//fleet"] {
        let said = ["s3://BUCKET/PREFIX, such as s3://measurements/fleet"];
        drivelab(&["export", text(folder.path()), "--destination", address]).fails_in_the_parser(&said);
        drivelab(&["fleet", "report", address]).fails_in_the_parser(&said);
    }
}
