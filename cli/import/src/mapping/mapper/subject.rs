//! What expressions are about: `$record`, and where it stands in the export.

use super::Mapper;
use crate::finding::ExportFile;
use crate::mapping::definition::{Definition, Files, Role, WhereVariable};
use crate::mapping::documents::{Document, Spot};
use crate::mapping::expression::Jq;

/// The name by which expressions know the record they are about.
const RECORD: &str = "$record";

/// The record that expressions are about.
pub(super) struct Subject {
    record: Jq,
    /// The values of those variables that tell where it stands and that the mapping uses.
    whereabouts: Vec<Jq>,
}

impl Subject {
    /// The record itself.
    pub(super) const fn record(&self) -> &Jq {
        &self.record
    }

    /// The values of all variables that differ from record to record, as [`names`] has them.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Jq> {
        std::iter::once(&self.record).chain(&self.whereabouts)
    }
}

/// The names of all variables that differ from record to record.
pub(super) fn names(definition: &Definition) -> impl Iterator<Item = String> {
    let whereabouts = definition.whereabouts.iter();
    let whereabouts = whereabouts.map(|variable| format!("${}", variable.name()));
    std::iter::once(RECORD.to_owned()).chain(whereabouts)
}

impl Mapper {
    /// What expressions about a record that was set aside are about.
    pub(super) fn subject(&self, document: &Document, record: Jq) -> Subject {
        let role = Role::Records(document.source.into());
        self.subject_at((role, &document.file, document.spot), record)
    }

    /// What expressions about a record are about, by what its file is and where it stands there.
    pub(super) fn subject_at(
        &self,
        (role, file, spot): (Role, &ExportFile, Spot),
        record: Jq,
    ) -> Subject {
        let value = |variable: &WhereVariable| match variable {
            WhereVariable::File => Jq::from(file.path.clone()),
            WhereVariable::Position => Jq::from(spot.position as usize),
            WhereVariable::List => {
                let files = self.definition.files_of(role);
                let list = spot.list.zip(files);
                let list = list.and_then(|(list, files)| files.records.get(usize::from(list)));
                list.map_or(Jq::Null, |list| Jq::from(list.to_string()))
            }
        };
        Subject {
            whereabouts: self.definition.whereabouts.iter().map(value).collect(),
            record,
        }
    }
}

impl Definition {
    fn files_of(&self, role: Role) -> Option<&Files> {
        match role {
            Role::Records(source) => self.sources.get(source).map(|source| &source.files),
            Role::Links => self.links.as_ref().map(|links| &links.files),
        }
    }
}
