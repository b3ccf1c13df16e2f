//! The fields of a boat that a list may have, and their usual names.
//!
//! The words come from brokers' sheets in English, German, French, Dutch, Italian and Spanish, as
//! `words` returns them: folded, in any order. Likelier names come first.

use std::sync::LazyLock;

use shared::base::field_path::FieldPath;

use crate::finding::Kind;
use crate::format;

/// A field, and the names that its source may have.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Its name in the native format, or the name of a part of the envelope.
    pub(super) field: &'static str,
    pub(super) reading: Reading,
    /// Names that its source may have.
    pub(super) names: &'static [&'static str],
}

/// How a value of a record is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The key of a record.
    Id,
    /// A name in URLs.
    Slug,
    /// A time.
    Time,
    /// A text.
    Text,
    /// A name, from which an id is made.
    Name,
    /// Several names.
    Names,
    /// Several texts.
    Texts,
    /// A text with or without markup.
    Prose,
    /// A year.
    Year,
    /// A word that means metric or imperial.
    Unit,
    /// A number without a unit.
    Number,
    /// A length in the unit of the boat.
    Distance,
    /// An area in the unit of the boat.
    Area,
    /// A weight in the unit of the boat.
    Weight,
    /// A speed in knots.
    Speed,
    /// An angle in degrees.
    Angle,
    /// An amount of money.
    Price,
    /// A currency code.
    Currency,
    /// True or false.
    Flag,
    /// The address of an image.
    Image,
    /// The addresses of several images.
    Images,
}

impl Reading {
    /// Whether it is of a number, with or without a unit.
    pub(super) const fn is_number(self) -> bool {
        matches!(
            self,
            Self::Year
                | Self::Number
                | Self::Distance
                | Self::Area
                | Self::Weight
                | Self::Speed
                | Self::Angle
                | Self::Price
        )
    }
}

/// Fields without which a boat is not valid, except those that a mapping can always make.
pub(super) static REQUIRED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let required: Vec<String> = format::required(Kind::Boat)
        .iter()
        .map(FieldPath::to_string)
        .collect();
    let named = WANTED.iter().map(|wanted| wanted.field);
    let is_required = |field: &&str| required.iter().any(|path| path == field);
    let named = named.filter(|field| !["slug", "unit"].contains(field));
    named.filter(is_required).collect()
});

/// The entries of the same table that are not written like other fields: the parts of the envelope,
/// and the slug.
const APART: [&str; 3] = ["key", "updatedAt", "slug"];

/// The fields that have a line of their own, in the order of a mapping.
pub(super) fn fields() -> impl Iterator<Item = &'static Wanted> {
    WANTED
        .iter()
        .filter(|wanted| !APART.contains(&wanted.field))
}

macro_rules! wanted {
    ($($field:literal $reading:ident [$($name:literal),+],)+) => {
        /// In the order in which sources are chosen and a mapping is written.
        pub(super) const WANTED: &[Wanted] = &[$(Wanted {
            field: $field,
            reading: Reading::$reading,
            names: &[$($name),+],
        },)+];
    };
}

wanted! {
    "key" Id [
        "id", "uuid", "guid", "sku", "ref", "reference", "listing id", "stock number", "stock no",
        "number", "code", "nr", "item id", "record id", "document id", "product id", "stock id",
        "object id", "entry id", "unique id", "external id", "oid", "id oid", "pk", "id number",
        "nummer", "artikelnummer", "inseratsnummer", "kennung", "schlussel", "schluessel", "numero",
        "referenz", "referentie", "riferimento", "referencia", "codice", "cle", "clef", "clave",
        "sleutel", "key", "handle", "slug"
    ],
    "updatedAt" Time [
        "updated at", "updated", "last updated", "modified", "last modified", "modified at",
        "date modified", "date updated", "last change", "changed", "changed at", "stand",
        "last modified time", "last edited", "last edited time", "geandert", "geandert am",
        "zuletzt geandert", "zuletzt bearbeitet", "letzte anderung", "aktualisiert", "mis a jour",
        "aggiornato"
    ],
    "slug" Slug ["slug", "permalink", "url slug", "handle"],
    "model" Text [
        "model", "model name", "boat model", "modell", "modellname", "modellbezeichnung",
        "modele", "modelo", "modello", "design name", "bezeichnung", "name", "title", "boat name", "product"
    ],
    "version" Text [
        "version", "variant", "edition", "trim", "sub model", "model version", "ausfuhrung",
        "variante"
    ],
    "manufacturer" Name [
        "manufacturer", "maker", "builder", "brand", "make", "shipyard", "yard", "boat builder",
        "boat maker", "manufacturer name", "maker name", "builder name", "brand name", "vendor",
        "producer", "hersteller", "werft", "marke", "constructeur", "chantier", "marque", "merk",
        "werf", "fabricante", "astillero", "marca", "cantiere", "costruttore", "company"
    ],
    "type" Name [
        "type", "boat type", "vessel type", "yacht type", "product type", "bootstyp", "typ",
        "bootstype", "bootsart", "tipo", "kind", "art", "category", "kategorie", "categorie",
        "categoria", "class", "type name"
    ],
    "production.firstYear" Year [
        "first year", "year first built", "first built", "built from", "year", "model year",
        "year built", "built", "build year", "year introduced", "introduced", "production start",
        "production from", "from year", "launch year", "launched", "year from", "baujahr", "annee",
        "bouwjaar", "anno", "ano"
    ],
    "production.lastYear" Year [
        "last year", "year last built", "last built", "built to", "built until", "production end",
        "production to", "to year", "year to", "year discontinued", "discontinued"
    ],
    "unit" Unit [
        "unit", "units", "unit system", "measurement system", "measurement units", "measurements",
        "system"
    ],
    "lengthOverall" Distance [
        "loa", "length overall", "l o a", "length", "overall length", "boat length", "hull length",
        "lange uber alles", "lange u a", "laenge u a", "lange gesamt", "gesamtlange", "laenge ueber alles", "lange", "laenge", "lua", "longueur",
        "longueur hors tout", "lengte", "lunghezza", "eslora", "size"
    ],
    "image.url" Image [
        "image", "photo", "picture", "main image", "main photo", "image url", "photo url",
        "picture url", "image src", "cover", "thumbnail", "bild", "foto", "image 1", "photo 1",
        "picture 1", "image link", "bild 1", "foto 1", "hauptbild", "titelbild"
    ],
    "image.alt" Text [
        "alt", "image alt", "photo alt", "image alt text", "photo caption", "image caption",
        "caption"
    ],
    "image.width" Number ["image width", "photo width", "picture width"],
    "image.height" Number ["image height", "photo height", "picture height"],
    "gallery" Images [
        "gallery", "photos", "images", "pictures", "photo urls", "image urls", "photo gallery",
        "image gallery", "bilder", "fotos", "galerie", "immagini", "imagenes", "afbeeldingen",
        "media", "media gallery", "image list", "photo list", "picture urls", "image links",
        "additional images", "additional image link", "image", "photo", "picture", "bild", "foto"
    ],
    "description" Prose [
        "description", "body", "text", "about", "summary", "details", "body html", "content",
        "beschreibung", "omschrijving", "descrizione", "descripcion", "comments", "remarks"
    ],
    "categories" Names ["categories", "category", "tags", "kategorien", "kategorie"],
    "activities" Names ["activities", "activity", "use", "uses", "usage", "suitable for"],
    "referencePrice.amount" Price [
        "price", "amount", "list price", "base price", "reference price", "asking price",
        "price amount", "price value", "asking price amount", "list price amount", "preis", "prix", "prijs", "prezzo", "precio"
    ],
    "referencePrice.currency.code" Currency [
        "currency", "currency code", "curr", "price currency", "price currency code", "asking price currency",
        "list price currency", "wahrung", "devise", "valuta", "moneda"
    ],
    "hull.type" Name [
        "hull type", "hull shape", "hull form", "hull", "rumpfform", "hull type name"
    ],
    "hull.material" Name [
        "hull material", "material", "construction", "construction material", "rumpfmaterial",
        "materiau", "materiaal", "materiale", "hull material name"
    ],
    "hull.keelType" Text ["keel", "keel type", "type keel", "kiel"],
    "hull.unsinkable" Flag ["unsinkable", "is unsinkable"],
    "hull.trailerable" Flag ["trailerable", "trailable", "is trailerable", "trailer"],
    "dimensions.lengthWaterline" Distance [
        "lwl", "length waterline", "waterline length", "waterline", "l w l", "length water line"
    ],
    "dimensions.beamOverall" Distance [
        "beam", "beam max", "max beam", "beam overall", "width", "breadth", "boa", "breite",
        "largeur", "breedte", "larghezza", "manga"
    ],
    "dimensions.beamCabinLine" Distance ["beam cabin", "beam cabin line", "beam at cabin"],
    "dimensions.beamHull" Distance ["beam hull", "beam of hull", "beam waterline", "bwl"],
    "dimensions.draftMax" Distance [
        "draft", "draught", "draft max", "max draft", "draught max", "max draught", "tiefgang",
        "tirant eau", "tirant d eau", "diepgang", "pescaggio", "calado"
    ],
    "dimensions.draftMin" Distance [
        "draft min", "min draft", "draught min", "min draught", "shoal draft", "board up draft",
        "draft board up"
    ],
    "dimensions.headroom" Distance [
        "headroom", "max headroom", "cabin headroom", "stehhohe", "stahoogte"
    ],
    "dimensions.bridgedeckClearance" Distance [
        "bridgedeck clearance", "bridgedeck"
    ],
    "dimensions.nominalBridgedeckClearance" Distance [
        "nominal bridgedeck clearance", "bridgedeck nominal"
    ],
    "dimensions.displacement" Weight [
        "displacement", "weight", "light displacement", "dry weight", "displ", "verdrangung",
        "gewicht", "deplacement", "poids", "waterverplaatsing", "dislocamento", "desplazamiento",
        "peso"
    ],
    "dimensions.ballastWeight" Weight ["ballast", "ballast weight", "keel weight"],
    "dimensions.ballastType" Text ["ballast type", "ballast material"],
    "dimensions.tonnageGross" Number ["gross tonnage", "tonnage gross", "gt", "grt"],
    "dimensions.tonnageNet" Number ["net tonnage", "tonnage net", "nt", "nrt"],
    "accommodation.cabins" Number [
        "cabins", "cabin", "number cabins", "kabinen", "cabines", "hutten", "cabine", "cabinas",
        "camarotes"
    ],
    "accommodation.berths" Number [
        "berths", "berth", "number berths", "sleeps", "beds", "kojen", "couchettes",
        "slaapplaatsen"
    ],
    "accommodation.heads" Number ["heads", "head", "number heads", "toilets", "bathrooms", "wc"],
    "steering.helm" Text ["helm", "steering", "helm type", "steering type"],
    "steering.rudder" Text ["rudder", "rudders", "rudder type", "type rudder"],
    "steering.cockpitType" Text ["cockpit", "cockpit type"],
    "steering.cockpitLocation" Text ["cockpit location", "cockpit position"],
    "performance.cruisingSpeed" Speed ["cruising speed", "cruise speed", "speed cruising"],
    "performance.topSpeed" Speed ["top speed", "max speed", "maximum speed", "speed max", "speed"],
    "performance.displacementHullSpeed" Speed [
        "hull speed", "displacement hull speed", "displacement speed"
    ],
    "rig.mastHeight" Distance ["mast height", "height mast", "rig height", "masthohe"],
    "rig.mastConfiguration" Text ["mast", "masts", "mast configuration", "mast type"],
    "rig.riggingType" Text ["rig", "rig type", "rigging", "rigging type", "type rigging"],
    "rig.standingRigging" Text ["standing rigging"],
    "rig.spars" Text ["spars", "spar material", "mast material"],
    "rig.rotatingSpars" Flag ["rotating spars", "rotating mast"],
    "rig.spreadersLevel" Number ["spreaders", "spreader levels", "spreaders level"],
    "rig.spreadersAngle" Angle ["spreader angle", "spreaders angle", "spreader sweep"],
    "sails.upwindArea" Area [
        "sail area", "sail area upwind", "upwind sail area", "upwind area", "sa", "total sail area",
        "segelflache", "surface voile", "zeiloppervlak", "reported sail area"
    ],
    "sails.downwindArea" Area ["sail area downwind", "downwind sail area", "downwind area"],
    "tanks.fuel" Texts ["fuel tank", "fuel tanks", "fuel capacity", "fuel tank capacity"],
    "tanks.water" Texts [
        "water tank", "water tanks", "water capacity", "fresh water", "fresh water tank"
    ],
    "tanks.holding" Texts ["holding tank", "holding tanks", "holding capacity", "waste tank"],
    "tanks.waterHeaters" Texts ["water heater", "water heaters"],
    "designers.naval" Names [
        "designer", "designers", "naval architect", "naval architects", "architect", "designed by",
        "konstrukteur", "architecte", "ontwerper", "progettista", "disenador"
    ],
    "ceClassification.a" Number ["ce a", "ce category a", "persons a"],
    "ceClassification.b" Number ["ce b", "ce category b", "persons b"],
    "ceClassification.c" Number ["ce c", "ce category c", "persons c"],
    "ceClassification.d" Number ["ce d", "ce category d", "persons d"],
}
