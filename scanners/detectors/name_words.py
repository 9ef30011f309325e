"""What fields are called in other languages than English, as plain letters: accents and capitals are folded away first.

Words of one meaning; a list of a language's words for a thing, not of anybody's fields.
"""

from __future__ import annotations

import unicodedata

_NO_PARTS = str.maketrans({"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "æ": "ae", "Æ": "AE", "đ": "d"})
"""Letters that Unicode does not take apart."""


def folded(name: str) -> str:
    """The name without accents, its capitals kept."""
    apart = unicodedata.normalize("NFKD", name.translate(_NO_PARTS))
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


def _set(text: str) -> frozenset[str]:
    return frozenset(folded(text).lower().split())


OF_PERSONS_ONLY = _set(
    "first_name firstname given_name givenname forename last_name lastname surname family_name familyname middle_name"
    " maiden_name full_name fullname name_first name_last name_given name_family"
    " vorname nachname familienname geburtsname vollname prenom prenoms nom_de_famille nom_complet nom_naissance"
    " apellido apellidos apellido_paterno apellido_materno nombre_completo cognome nominativo nome_completo sobrenome"
    " voornaam achternaam volledige_naam imie imiona nazwisko imie_nazwisko fornamn efternamn fornavn etternavn efternavn"
    " mellomnavn etunimi sukunimi soyad soyadi ad_soyad adi_soyadi prijmeni priezvisko krestni_jmeno keresztnev vezeteknev"
    " csaladnev prenume familiya otchestvo fio имя фамилия отчество фио прізвище 氏名 姓名 姓 お名前 フリガナ 名字 이름 성명"
)
"""What the names of persons are called, and nothing else is."""

MORE_WORDS: dict[str, frozenset[str]] = {
    "PERSON": OF_PERSONS_ONLY
    | _set(
        "nome naam namn navn nimi nume jmeno 名前 联系人 اسم الاسم नाम ansprechpartner titular titulaire"
        " name_kana furigana katakana_name ふりがな カナ氏名"
    ),
    "PHONE_NUMBER": _set(
        "telefonnummer telefonnr rufnummer mobilnummer handynummer mobiltelefon phone_no mobile_no phone_num mobile_num"
        " telefone celular movil cellulare gsm telefoon telefoonnummer mobiel telefonu komorka puhelin puhelinnumero"
        " cep_telefonu cep_tel telefon_numarasi telefonszam mobilni telephone_portable"
        " телефон номер_телефона 電話 電話番号 携帯 携帯電話 手机 手机号 电话 联系电话 전화번호 휴대폰 هاتف whatsapp_id wa_id"
    ),
    "DATE_OF_BIRTH": _set(
        "geburtstag geb_datum fecha_nacimiento fecha_de_nacimiento nacimiento date_naissance date_de_naissance naissance"
        " data_di_nascita data_nascita nascita data_nascimento data_de_nascimento nascimento geboortedatum data_urodzenia"
        " urodzenia fodelsedatum fodselsdato fodselsdag syntymaaika dogum_tarihi datum_narozeni narozeni szuletesi_datum"
        " data_nasterii дата_рождения рождения 生年月日 出生日期 생년월일 bday birth_dt"
        # As people shorten them, by language.
        " d_o_b b_day bdate birthdt dateofbirth dayofbirth born_on born_at yob y_o_b"
        " geb gebdat geb_dat gebdatum geburtsdat geb_am geboren gebdag geboorte geboortedat dob_date"
        " ne_le nee_le ne_e_le datenaissance date_naiss dt_naiss naiss ddn dnaiss"
        " nac fnac f_nac fec_nac fecha_nac fechanac fechanacimiento nacido nacida"
        " nasc data_nasc dt_nasc dtnasc datanasc datanascimento nascido nascida nato_il nata_il datanascita dt_nascita"
        " data_ur dataurodzenia urodzony urodzona fodd fodt fodselsdag foedselsdato fdato synt_aika syntaika synt_pvm"
        " syntymapaiva nar narozen dat_nar datnar datum_nar datum_narodenia szul szul_dat szuldat szuletes szulido"
        " data_nast nascut dogum dogum_tar dogumtarihi dtarih γεννηση ημερομηνια_γεννησης др дата_рожд родился родилась"
        " дата_народження"
        " 誕生日 出生日 生日 出生 出生年月 생일 출생일 تاريخ_الميلاد जन्मतिथि"
        " ngay_sinh ngaysinh tanggal_lahir tgl_lahir"
        " tarikh_lahir วันเกิด"
    ),
    "LOCATION": _set(
        "adres adress adresa adresi anschrift domicilio endereco morada logradouro straat gatuadress ulica osoite katuosoite"
        " ulice lakcim адрес улица 住所 地址 주소 عنوان jusho jyusho dizhi juso alamat dia_chi"
    ),
    "PASSWORD": _set(
        "passwort kennwort contrasena mot_de_passe senha wachtwoord haslo sifre losenord salasana heslo пароль 密码 密碼"
        " 비밀번호 パスワード"
    ),
}
"""Entity -> words and phrases (joined by _) beside those in `names`."""

POSTCODES = _set(
    "zip zipcode postcode postal plz postleitzahl postal_code codigo_postal code_postal postnummer kod_pocztowy pincode"
    " posta_kodu postinumero psc 郵便番号 邮编 우편번호"
)

OF_THINGS = _set(
    "producto produit prodotto produto produkt artikel articulo articolo empresa firma entreprise azienda bedrijf tienda"
    " filiale ciudad ville stadt citta cidade"
)
"""Whose name is nobody's."""
