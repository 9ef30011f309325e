"""What fields of an entity are called: words, and phrases joined by _. Other languages than English mostly in `name_words`."""

from __future__ import annotations

from scanners.detectors.lists.name_words import CATEGORY_WORDS, MORE_WORDS, POSTCODES
from scanners.detectors.lists.national_forms import IDS
from scanners.detectors.lists.national_forms import words as words_of_number
from scanners.detectors.registry import installed

FOR: dict[str, frozenset[str]] = {
    **{kind.entity: kind.names for kind in installed().kinds if kind.names},
    "PHONE_NUMBER": frozenset({
        "phone", "phones", "telephone", "tel", "mobile", "cell", "cellphone", "fax", "msisdn", "whatsapp", "telefon",
        "telefono", "handy", "phone_number", "contact_number", "contact", "sms", "callback", "caller", "callee",
    }),
    "PERSON": frozenset({
        "name", "firstname", "lastname", "fullname", "surname", "first_name", "last_name", "full_name", "given_name",
        "family_name", "middle_name", "maiden_name", "customer_name", "person", "contact_name", "cardholder", "holder",
        "recipient", "passenger", "patient", "driver", "author", "employee", "customer", "user", "owner", "assignee",
        "sender", "agent", "reporter", "nachname", "vorname", "nombre", "apellido", "nom", "prenom", "cognome",
    }),
    "LOCATION": frozenset({
        "address", "street", "addr", "address1", "address2", "line1", "line2", "shipping_address", "billing_address",
        "home_address", "zip", "zipcode", "postcode", "postal", "postal_code", "zip_code", "plz", "strasse", "direccion",
        "adresse", "indirizzo", "rue", "calle",
    }),
    "DATE_OF_BIRTH": frozenset({
        "birth", "dob", "birthday", "birthdate", "born", "date_of_birth", "birth_date", "geburtsdatum",
    }),
    "PASSWORD": frozenset({
        "password", "passwd", "pwd", "passphrase", "passcode", "pin_code",
    }),
    "API_KEY": frozenset({
        "token", "secret", "apikey", "api_key", "access_token", "access_key", "secret_key", "private_key", "auth_key",
        "client_secret", "authorization", "bearer", "credential", "credentials", "jwt", "cookie", "cookies", "set_cookie",
        "session_cookie", "auth_cookie", "jsessionid", "phpsessid",
    }),
    "ADVERTISING_ID": frozenset({
        "idfa", "gaid", "aaid", "adid", "advertising_id", "ad_id", "advertiser_id", "advertisingid", "maid", "rida",
        "tifa", "google_ad_id", "gps_adid", "ifa", "ifv", "oaid", "tdid", "sifa",
    }),
    "DEVICE_ID": frozenset({
        "device_id", "deviceid", "imei", "udid", "android_id", "idfv", "device_uuid", "device_token", "device_fingerprint",
        "installation_id", "install_id", "handset_id", "mobile_id", "fingerprint_id", "imsi", "iccid",
    }),
    "PASSPORT": frozenset({
        "passport", "passport_number", "passport_no", "passport_id", "reisepass", "passnummer", "pasaporte", "passeport",
        "passaporto", "passaporte", "pasaport", "passportno", "passnr", "paszport", "utlevel",
        "pasaport_no", "cestovni_pas", "putovnica", "diavatirio", "διαβατηριο", "загранпаспорт", "паспорт", "護照", "护照",
        "旅券番号", "여권", "جواز_السفر", "paspoort", "paspoortnummer", "ho_chieu", "paspor", "travel_document",
        "travel_document_number",
    }),
    "DRIVER_LICENSE": frozenset({
        "driver_license", "drivers_license", "driver_licence", "drivers_licence", "driving_license", "driving_licence",
        "driverslicense", "driverlicense", "dl_number", "dl_no", "fuhrerschein", "permis_conduire", "permis_de_conduire",
        "licencia_conducir", "licencia_de_conducir", "patente_guida", "rijbewijs", "carteira_de_motorista",
        "carteira_motorista", "cnh", "prawo_jazdy", "korkort", "forerkort", "korekort", "ajokortti", "ridicsky_prukaz",
        "vodicsky_preukaz", "jogositvany", "permis_conducere", "vozacka_dozvola", "surucu_belgesi", "ehliyet",
        "voditelskoye_udostovereniye", "номер_ву", "免許証番号", "驾驶证", "운전면허", "licence_number_driver",
        "licencia_manejo", "brevete", "carta_conducao", "dvla",
    }),
    "GEO_COORDINATES": frozenset({
        "lat", "lon", "lng", "latitude", "longitude", "location", "position", "coordinates", "geo", "gps", "latlng",
        "coords",
    }),
    **{spec.entity: words_of_number(spec) for spec in IDS},
    "US_SSN": frozenset({
        "ssn", "social_security", "social", "tax_id", "taxid", "taxpayer", "tin", "national_id",
    }),
}  # fmt: skip
"""Words and phrases (joined by _) that are evidence for an entity."""
FOR.update({entity: FOR[entity] | more for entity, more in MORE_WORDS.items()})
FOR.update(CATEGORY_WORDS)
FOR["LOCATION"] |= POSTCODES
