//! Names of keys that say whether a record is public, and words for it, in the languages in which
//! drafts know names.
//!
//! These are only tables. A word that may mean either, such as `under offer`, has no place in them:
//! it is left to a person. All names and words are folded, as [`words`](crate::mapping::folded::words)
//! returns them, except `yes` and `no`, which are in lower case.

use std::collections::BTreeSet;

use crate::mapping::folded;

/// What a key says of its record, by its name.
///
/// | | yes, or a time | no | no value | a word |
/// |---|---|---|---|---|
/// | `Public` | public | not | not | by [`LANGUAGES`], or to be decided |
/// | `Withheld` | not | public | public | likewise |
/// | `Word` | public; a single letter is a word | not | to be decided | likewise |
/// | `OneOrTwo` | | | to be decided | 1 is public, 2 is not, others are to be decided |
/// | `From` | a time: public once it is past | | public | |
/// | `Until` | a time: public before it; yes: not | public | public | |
/// | `By` | anything: not | | public | not |
/// | `Perhaps` | | | to be decided | likewise, if one of them is known; or else it is only named |
/// | `YesOrNo` | to be decided | to be decided | | likewise, if one of them is known; or else it is passed over |
/// | `Elsewhere` | | | | it is only named, unless a word of it is known to be not public |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Public,
    Withheld,
    Word,
    OneOrTwo,
    /// Since when it is public.
    From,
    /// Until when it is.
    Until,
    /// Who made it not public.
    By,
    Perhaps,
    /// A part of its name is often that of such a key.
    YesOrNo,
    /// It is about something within the record.
    Elsewhere,
}

macro_rules! keys {
    ($($says:ident [$($name:literal),+ $(,)?])+) => {
        /// Names of such keys. One that is called by a word of [`LANGUAGES`], such as `archived`,
        /// says what the word says.
        const KEYS: &[(Says, &[&str])] = &[$((Says::$says, &[$($name),+]),)+];
    };
}

keys! {
    Word [
        "status", "sales status", "sale status", "publication status", "publish status",
        "publishing status", "workflow status", "workflow state", "moderation state",
        "publication state", "lifecycle", "visibility", "verkaufsstatus",
        "veroffentlichungsstatus", "sichtbarkeit", "statut", "visibilite", "verkoopstatus",
        "zichtbaarheid", "visibilita", "visibilidad",
    ]
    // As Magento writes it.
    OneOrTwo ["product online"]
    Perhaps [
        "access", "access level", "audience", "state", "stage", "availability", "stock status", "zustand", "verfugbarkeit", "etat",
        "disponibilite", "stato", "disponibilita", "estado", "disponibilidad", "beschikbaarheid",
        "password", "show on site", "show on web", "display", "display on site", "display on web",
        "display on website", "on site", "anzeigen", "im web", "im internet", "afficher", "affiche",
        "mostrar", "mostra", "tonen",
        // When a boat is, and who sells it.
        "available from", "verfugbar ab", "disponible a partir du", "beschikbaar vanaf",
        "disponibile dal", "disponible desde", "sold by", "verkauft von", "verkauft durch",
        "vendu par", "verkocht door", "venduto da", "vendido por",
        "test", "test record", "test boat", "test listing",
    ]
    Until [
        "expires", "expire", "expiry", "expiration", "d expiration", "unpublish", "depublication",
        "ablauf", "ablaufdatum", "lauft ab", "verfallsdatum", "fin de publication", "verloopt",
        "vervaldatum", "scadenza", "caducidad", "vencimiento", "vence",
    ]
    From ["go live", "embargo", "embargo until", "sperrfrist"]
}

/// Words behind those for what is public, or for what is valid or shown, such as `visible until`.
const LIMITS: [(Says, &str); 2] = [
    (
        Says::From,
        "from, start, up, ab, a partir du, vanaf, dal, desde",
    ),
    (
        Says::Until,
        "until, till, end, down, bis, jusqu au, tot, fino al, hasta",
    ),
];
/// Words before those of [`LIMITS`], beside those for what is public.
const LIMITED: [&str; 9] = [
    "valid", "show", "display", "gultig", "anzeigen", "valable", "geldig", "valido", "mostrar",
];

/// Parts of names that are often those of what says that a record is public, or shown, checked or
/// left out somewhere. No equipment of a boat is called so.
const HINTS: &str = "onlin publ pubbl veroff veroeff website webseit webshop homepage portal catalog \
    katalog annonc inserat inserier syndic marketplace marktplatz export esport freigabe noindex \
    visib sichtbar zichtbaar archiv delet discontin entwurf brouillon review vorschau preview \
    apercu approv moderat nascond sperrvermerk embargo confident vertraul vertrouwel";
/// Words that are such a part only as a whole.
const WHOLE_HINTS: &str = "web www site internet index indexed shop feed freigegeben genehmigt gepruft \
    validated verified valide valid gultig hide show seite intranet offer reserved reserviert \
    gereserveerd riservato reservado";

/// Words behind those for what is not public, such as `deleted by`.
pub(crate) const BY: [&str; 7] = ["by", "von", "durch", "par", "door", "da", "por"];

/// Words for a record, which say nothing about what a key of it holds.
pub(crate) const RECORDS: [&str; 10] = [
    "boat", "yacht", "vessel", "product", "listing", "item", "record", "entry", "post", "page",
];

/// Names of objects that only group their members.
pub(crate) const GROUPS: [&str; 30] = [
    "additional",
    "attribute",
    "attributes",
    "boat",
    "characteristics",
    "content",
    "custom",
    "data",
    "detail",
    "details",
    "dimension",
    "dimensions",
    "feature",
    "features",
    "field",
    "fields",
    "general",
    "info",
    "measurements",
    "meta",
    "param",
    "params",
    "parameters",
    "product",
    "properties",
    "property",
    "spec",
    "specification",
    "specifications",
    "specs",
];

/// Objects that hold what is said of the whole record, beside
/// [`GROUPS`] and [`RECORDS`].
pub(crate) const ENVELOPES: &[&str] = &[
    "sys",
    "system",
    "metadata",
    "publication",
    "publishing",
    "workflow",
    "state",
    "flags",
    "properties",
    "acf",
    "options",
    "settings",
    "custom",
    "node",
    "source",
];

/// Keys of an object that stands for one value, such as `{"id": 3, "name": "Draft"}`.
pub(crate) const VALUES: [&str; 11] = [
    "value", "name", "label", "title", "select", "date", "text", "code", "slug", "key", "at",
];

/// Words around the name of a key that say nothing.
pub(crate) const PARTICLES: [&str; 6] = ["is", "has", "was", "of", "de", "di"];
/// Words around the name of a key that say that it holds a time.
pub(crate) const TIMES: [&str; 10] = [
    "at", "on", "am", "le", "el", "il", "op", "date", "data", "fecha",
];
/// Words at the end of a name that say how it is answered, as in `Sold (Y/N)`.
pub(crate) const ANSWERS: [&str; 18] = [
    "y", "n", "j", "o", "x", "yes", "no", "true", "false", "ja", "nein", "nee", "oui", "non", "si",
    "wahr", "falsch", "vrai",
];

/// The words of a language.
#[derive(Debug)]
struct Language {
    yes: &'static [&'static str],
    no: &'static [&'static str],
    /// States in which a record is public. A key that is called so says that it is.
    public: &'static [&'static str],
    /// States in which it is not.
    withheld: &'static [&'static str],
}

macro_rules! languages {
    ($(
        yes [$($yes:literal),+] no [$($no:literal),+]
        public [$($public:literal),+ $(,)?] withheld [$($withheld:literal),+ $(,)?]
    )+) => {
        const LANGUAGES: &[Language] = &[$(Language {
            yes: &[$($yes),+],
            no: &[$($no),+],
            public: &[$($public),+],
            withheld: &[$($withheld),+],
        },)+];
    };
}

languages! {
    // English, and signs.
    yes ["yes", "y", "true", "t", "1", "x", "on", "checked", "✓", "✔"]
    no ["no", "n", "false", "f", "0", "off", "unchecked"]
    public [
        "published", "publish", "live", "active", "online", "visible", "public", "enabled",
        "listed", "available", "for sale", "on sale", "on website", "on web", "show on website", "in stock",
        "last published", "publication", "post date",
    ]
    withheld [
        "draft", "auto draft", "archived", "archive", "hidden", "hide", "deleted", "delete",
        "removed", "trashed", "trash", "disabled", "inactive", "private", "unpublished",
        "unlisted", "offline", "invisible", "not visible individually", "sold", "sold out",
        "off market", "withdrawn", "retired", "expired", "suspended", "blocked", "internal",
        "confidential", "rejected", "cancelled", "canceled", "scheduled", "in review",
        "pending review", "unavailable", "dealers only", "members only", "staff only", "trade only",
    ]
    // German.
    yes ["ja", "j", "wahr"]
    no ["nein", "falsch"]
    public [
        "veroffentlicht", "veroeffentlicht", "sichtbar", "aktiv", "aktiviert", "freigegeben",
        "freigeschaltet", "offentlich", "oeffentlich", "zu verkaufen", "verfugbar", "verfuegbar",
        "veroffentlichung", "veroffentlichungsdatum",
    ]
    withheld [
        "entwurf", "archiviert", "archiv", "versteckt", "verborgen", "ausgeblendet", "unsichtbar",
        "geloscht", "geloescht", "deaktiviert", "inaktiv", "gesperrt", "unveroffentlicht",
        "unveroeffentlicht", "privat", "intern", "vertraulich", "verkauft", "zuruckgezogen",
        "zurueckgezogen", "abgelaufen", "in bearbeitung",
    ]
    // French.
    yes ["oui", "o", "vrai"]
    no ["non", "faux"]
    public [
        "publie", "publiee", "publier", "en ligne", "mis en ligne", "mise en ligne", "actif", "active", "visible",
        "public", "publication", "a vendre", "disponible",
    ]
    withheld [
        "brouillon", "archive", "archivee", "masque", "masquee", "cache", "cachee", "supprime",
        "supprimee", "desactive", "desactivee", "inactif", "inactive", "hors ligne", "prive",
        "privee", "vendu", "vendue", "retire", "retiree", "expire", "expiree", "en attente",
    ]
    // Dutch.
    yes ["ja", "waar"]
    no ["nee", "onwaar"]
    public [
        "gepubliceerd", "zichtbaar", "actief", "online", "openbaar", "te koop", "beschikbaar",
        "publicatie", "publicatiedatum",
    ]
    withheld [
        "concept", "gearchiveerd", "archief", "verborgen", "verwijderd", "uitgeschakeld",
        "inactief", "onzichtbaar", "prive", "intern", "verkocht", "ingetrokken", "verlopen", "in behandeling",
    ]
    // Italian.
    yes ["si", "sì", "vero"]
    no ["no", "falso"]
    public [
        "pubblicato", "pubblicata", "visibile", "attivo", "attiva", "pubblico", "pubblica",
        "in vendita", "disponibile", "in linea", "pubblicazione",
    ]
    withheld [
        "bozza", "archiviato", "archiviata", "nascosto", "nascosta", "eliminato", "eliminata",
        "cancellato", "cancellata", "disattivato", "disattivata", "inattivo", "inattiva",
        "privato", "privata", "venduto",
        "venduta", "ritirato", "ritirata", "scaduto", "scaduta", "in attesa",
    ]
    // Spanish.
    yes ["si", "sí", "verdadero"]
    no ["no", "falso"]
    public [
        "publicado", "publicada", "publicar", "visible", "activo", "activa", "publico", "publica",
        "en linea", "en venta", "disponible", "habilitado", "habilitada", "publicacion",
    ]
    withheld [
        "borrador", "archivado", "archivada", "oculto", "oculta", "eliminado", "eliminada",
        "borrado", "borrada", "desactivado", "desactivada", "deshabilitado", "deshabilitada",
        "inactivo", "inactiva", "privado",
        "privada", "vendido", "vendida", "retirado", "retirada", "caducado", "caducada",
        "pendiente",
    ]
}

/// Words that are withheld as a status, and ordinary as the value of anything else.
const ORDINARY: &str = "private, privat, prive, privee, privato, privata, privado, privada, \
    internal, intern, concept, cache, cachee, removed, retire, retiree, retirado, retirada, \
    retired, archive, disabled, scheduled, en attente, in attesa, pendiente, inactive, offline";
/// Words that say so of a list, and little of a single record.
const OF_LISTS: [&str; 9] = [
    "pending",
    "embargo",
    "embargoed",
    "unreleased",
    "recycle bin",
    "papierkorb",
    "corbeille",
    "prullenbak",
    "papelera",
];
/// How words for several end, and how those for one.
const PLURALS: [(&str, &str); 6] = [
    ("s", ""),
    ("es", ""),
    ("e", ""),
    ("en", ""),
    ("e", "a"),
    ("i", "o"),
];
/// Words before what they deny, as in `not yet published`.
const NOT: [&str; 6] = ["not", "nicht", "non", "niet", "no", "pas"];
/// Words between.
const YET: [&str; 9] = [
    "yet", "longer", "noch", "mehr", "nog", "meer", "ancora", "piu", "encore",
];
/// Words that say so even within a short text, such as `SOLD, do not show`.
const STRONG: &str = "sold, do not publish, not for publication, do not list, do not show, \
    not for sale, verkauft, nicht veroffentlichen, nicht veroeffentlichen, nicht zeigen, vendu, \
    vendue, ne pas publier, verkocht, niet publiceren, venduto, venduta, non pubblicare, vendido, \
    vendida, no publicar";
/// Longest text that is looked at for them, in words.
const TEXT_WORDS: usize = 8;

/// Whether a value says that its record is not public, whatever its key is called.
pub(crate) fn says_withheld(words: &[String]) -> bool {
    let is_in = |list: &str, word: &str| list.split(", ").any(|of| of == word);
    let whole = words.join(" ");
    let is_strong = |length| {
        let mut parts = words.windows(length);
        parts.any(|part| is_in(STRONG, &part.join(" ")))
    };
    is_public(&whole) == Some(false) && !is_in(ORDINARY, &whole)
        || words.len() <= TEXT_WORDS && (1..=3).any(is_strong)
}

/// Whether a word of the name of a list, a sheet, a folder or a file says that its records are not
/// public. It may be that of several, such as `drafts`.
pub(crate) fn is_of_withheld(name: &[String]) -> bool {
    let is_so = |words: &str| OF_LISTS.contains(&words) || is_public(words) == Some(false);
    let is_plural = |words: &str| {
        let mut endings = PLURALS.iter();
        endings.any(|(of_several, of_one)| {
            let stem = words.strip_suffix(of_several);
            stem.is_some_and(|stem| is_so(&format!("{stem}{of_one}")))
        })
    };
    let is_any = |length| {
        let mut parts = name.windows(length).map(|part| part.join(" "));
        parts.any(|words| is_so(&words) || is_plural(&words))
    };
    (1..=3).any(is_any)
}

/// What a name says.
pub(crate) fn says(name: &str) -> Option<Says> {
    let key = KEYS.iter().find(|(_, names)| names.contains(&name));
    let of_word = |is_public| {
        if is_public {
            Says::Public
        } else {
            Says::Withheld
        }
    };
    // Such as `anzeigenstatus`, in languages that join words.
    let is_joined = name.ends_with("status") && !name.contains(' ');
    key.map(|(says, _)| *says)
        .or_else(|| is_public(name).map(of_word))
        .or_else(|| limit(name))
        .or_else(|| is_joined.then_some(Says::Perhaps))
}

/// Since or until when a record is public, by a name such as `visible until`.
fn limit(name: &str) -> Option<Says> {
    let is_limited = |what: &str| LIMITED.contains(&what) || is_public(what) == Some(true);
    let is_of = |end: &str| {
        let what = name.strip_suffix(end).unwrap_or_default();
        what.strip_suffix(' ').is_some_and(is_limited)
    };
    let mut limits = LIMITS.iter();
    let limit = limits.find(|(_, ends)| ends.split(", ").any(is_of));
    limit.map(|(says, _)| *says)
}

/// Whether a word of a name is often that of what says whether a record is public.
pub(crate) fn may_tell(word: &str) -> bool {
    let mut hints = HINTS.split(' ');
    hints.any(|hint| word.contains(hint)) || WHOLE_HINTS.split(' ').any(|hint| word == hint)
}

/// The value of a word that stands for true or false.
pub(crate) fn flag_of(word: &str) -> Option<bool> {
    let word = word.trim().to_lowercase();
    meaning(&word, |language| (language.yes, language.no))
}

/// Whether a word, as it is written, says that something is public; `None` if it is not known.
pub(crate) fn is_word_public(text: &str) -> Option<bool> {
    // Words of schema.org are often written as addresses.
    let word = text
        .rsplit_once("schema.org/")
        .map_or(text, |(_, word)| word);
    is_public(&folded::words(word).join(" "))
}

/// Whether a folded word says that something is public; `None` if it is not known.
pub(crate) fn is_public(folded: &str) -> Option<bool> {
    let meaning = |folded| meaning(folded, |language| (language.public, language.withheld));
    meaning(folded).or_else(|| {
        let (not, rest) = folded.split_once(' ')?;
        let rest = match rest.split_once(' ') {
            Some((yet, rest)) if YET.contains(&yet) => rest,
            _ => rest,
        };
        (NOT.contains(&not) && meaning(rest) == Some(true)).then_some(false)
    })
}

/// Words that stand for true or false: those of English, and of the languages of these values.
pub(crate) fn flags<'v>(values: impl Iterator<Item = &'v String>) -> BTreeSet<&'static str> {
    let values: BTreeSet<String> = values.map(|value| value.trim().to_lowercase()).collect();
    let words = |language: &'static Language| language.yes.iter().chain(language.no).copied();
    let used = LANGUAGES.iter().enumerate().filter(|(number, language)| {
        *number == 0 || words(language).any(|word| values.contains(word))
    });
    used.flat_map(|(_, language)| words(language)).collect()
}

/// `true` if a language has the word in its first list, `false` if in its second.
fn meaning(
    word: &str,
    lists: impl Fn(&'static Language) -> (&'static [&'static str], &'static [&'static str]),
) -> Option<bool> {
    LANGUAGES.iter().map(lists).find_map(|(yes, no)| {
        let is_yes = yes.contains(&word);
        (is_yes || no.contains(&word)).then_some(is_yes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::folded::words;

    #[test]
    fn no_word_means_both_and_words_are_folded() {
        for (yes, no) in [
            (lists(|of| of.yes), lists(|of| of.no)),
            (lists(|of| of.public), lists(|of| of.withheld)),
        ] {
            assert_eq!(yes.intersection(&no).next(), None);
        }
        for word in lists(|of| of.public).union(&lists(|of| of.withheld)) {
            assert_eq!(words(word).join(" "), *word);
        }
        for word in lists(|of| of.yes).union(&lists(|of| of.no)) {
            assert_eq!(word.to_lowercase(), *word);
        }
    }

    fn lists(of: fn(&Language) -> &'static [&'static str]) -> BTreeSet<&'static str> {
        LANGUAGES.iter().flat_map(of).copied().collect()
    }
}
