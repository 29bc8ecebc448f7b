//! What is meant by `FILE[:PARTITION]`.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use drivelab_block::SECTOR_BYTES;

use crate::image::ImageError;
use crate::image::partitions::{HEAD_BYTES, OtherTable, Partition, TableError, table};

/// An image, or a partition of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageName {
    /// The file.
    pub file: PathBuf,
    /// The partition's number, from 1; none for the whole image.
    pub partition: Option<u32>,
}

impl ImageName {
    /// Understands `FILE[:PARTITION]`. A file whose own name ends in a colon and a number is that file.
    pub fn parse(text: &str) -> ImageName {
        let whole = || ImageName { file: PathBuf::from(text), partition: None };
        if Path::new(text).exists() {
            return whole();
        }
        let split = text.rsplit_once(':').and_then(|(file, number)| Some((file, number.parse().ok()?)));
        split.map_or_else(whole, |(file, number)| ImageName {
            file: PathBuf::from(file),
            partition: Some(number),
        })
    }

    /// Where the part of an image begins, and its length, in bytes.
    ///
    /// # Errors
    /// [`ImageError`], where there is no such partition, for one.
    pub fn part(&self) -> Result<(u64, u64), ImageError> {
        let Some(number) = self.partition else { return Ok((0, self.opened()?.1)) };
        let partitions = self.partitions()?.ok_or_else(|| self.without_table())?;
        let own = partitions.iter().find(|partition| partition.number == number);
        own.map(|partition| (partition.start, partition.length.get())).ok_or_else(|| {
            let numbers: Vec<String> = partitions.iter().map(|one| one.number.to_string()).collect();
            let there = if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") };
            ImageError::Usage(format!("{} has no partition {number}: it has {there}", self.file.display()))
        })
    }

    /// The partitions of the whole image; `None` where it has no table.
    pub(crate) fn partitions(&self) -> Result<Option<Vec<Partition>>, ImageError> {
        let (mut file, length) = self.opened()?;
        table(&mut file, length).map_err(|error| {
            let path = self.file.display();
            match error {
                TableError::Io(source) => ImageError::io(&self.file, source),
                TableError::Damaged(why) => {
                    ImageError::Environment(format!("the partition table of {path} is damaged: {why}"))
                }
                TableError::Cut(end) => ImageError::Usage(format!(
                    "{path} is shorter than its partition table says ({length} bytes, and a partition ends at {end}): it was \
                     cut; put back a whole copy, or make it as long again (truncate -s {end} {path})"
                )),
            }
        })
    }

    /// The partition table of a kind that is not opened; `None` where it has none of those.
    pub(crate) fn other_table(&self) -> Result<Option<OtherTable>, ImageError> {
        let (file, length) = self.opened()?;
        let mut head = Vec::new();
        let read = file.take(HEAD_BYTES as u64).read_to_end(&mut head);
        read.map_err(|source| ImageError::io(&self.file, source))?;
        Ok(OtherTable::in_head(&head, length))
    }

    /// Why it has no partition that could be shown.
    pub(crate) fn without_table(&self) -> ImageError {
        let path = self.file.display();
        ImageError::Usage(match self.other_table() {
            Ok(Some(table)) => format!(
                "{path} has a partition table of a kind that is not opened ({table}): leave out the partition's number, and \
                 show the loop device's partitions with a kernel that knows it (partprobe)"
            ),
            Ok(None) => format!("{path} has no partition table: leave out the partition's number"),
            Err(error) => return error,
        })
    }

    fn opened(&self) -> Result<(File, u64), ImageError> {
        let path = &self.file;
        let wrong = |source| ImageError::io(path, source);
        let file = File::open(path).map_err(|error| self.misnamed().unwrap_or_else(|| wrong(error)))?;
        let found = file.metadata().map_err(wrong)?;
        if !found.is_file() {
            return Err(ImageError::not_a_file(path));
        }
        if found.len() < SECTOR_BYTES {
            let path = path.display();
            return Err(ImageError::Usage(format!(
                "{path} holds less than a block of 512 bytes: make it as long as the drive that it is to hold (truncate -s SIZE \
                 {path})"
            )));
        }
        Ok((file, found.len()))
    }

    /// What is wrong with a name that is no file, but would be one without what follows its colon.
    fn misnamed(&self) -> Option<ImageError> {
        let (file, number) = self.file.to_str()?.rsplit_once(':')?;
        let is_file = !self.file.exists() && Path::new(file).is_file();
        is_file.then(|| {
            ImageError::Usage(format!(
                "{number:?} is no partition of {file}: behind the colon stands its number, from 1"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_behind_a_colon_is_a_partition() {
        let name = |file: &str, partition| ImageName { file: PathBuf::from(file), partition };
        assert_eq!(ImageName::parse("disk.img:2"), name("disk.img", Some(2)));
        assert_eq!(ImageName::parse("disk.img"), name("disk.img", None));
        assert_eq!(ImageName::parse("a:b.img"), name("a:b.img", None));
        let folder = tempfile::tempdir().expect("a folder");
        let odd = folder.path().join("odd:3");
        std::fs::write(&odd, "").expect("a file");
        assert_eq!(ImageName::parse(odd.to_str().expect("text")).partition, None);
    }

    #[test]
    fn an_empty_file_is_no_image_and_a_word_no_partition() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("disk.img");
        std::fs::write(&file, "").expect("a file");
        let part = |suffix: &str| ImageName::parse(&format!("{}{suffix}", file.display())).part();
        let refused = |suffix: &str| part(suffix).expect_err("no image").to_string();
        assert!(refused("").contains("holds less than a block"));
        assert!(refused(":x").contains("behind the colon stands its number"));
        std::fs::write(&file, [0; 512]).expect("a file");
        assert_eq!(part("").expect("an image"), (0, 512));
    }
}
