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
    " fname lname mname f_name l_name surname1 maiden given_names other_names name_surname name_and_surname"
    " vorna nachn vorname_nachname"
    " ime_prezime ime_i_prezime prezime"
    " jmeno_prijmeni meno_priezvisko eesnimi perenimi perekonnanimi vards_uzvards uzvards pavarde vardas_pavarde onomateponymo"
    " eponymo επωνυμο ονοματεπωνυμο isim_soyisim soyisim ad_soyadi nama_lengkap ho_ten ho_va_ten hoten nombres primer_nombre"
    " primer_apellido segundo_apellido nombre_apellido nombre_y_apellido nombres_apellidos nom_prenom prenom_nom teljes_nev"
    " nombre_beneficiario kontaktperson contact_person"
)
"""What the names of persons are called, and nothing else is."""

MORE_WORDS: dict[str, frozenset[str]] = {
    "PERSON": OF_PERSONS_ONLY
    | _set(
        "nome naam namn navn nimi nume jmeno 名前 联系人 اسم الاسم नाम ansprechpartner titular titulaire"
        " name_kana furigana katakana_name ふりがな カナ氏名 ime meno vards vardas onoma ονομα isim nama nev nimetus display_name"
        " beneficiary policyholder insured traveller traveler applicant subscriber"
    ),
    "PHONE_NUMBER": _set(
        "telefonnummer telefonnr rufnummer mobilnummer handynummer mobiltelefon phone_no mobile_no phone_num mobile_num"
        " telefone celular movil cellulare gsm telefoon telefoonnummer mobiel telefonu komorka puhelin puhelinnumero"
        " cep_telefonu cep_tel telefon_numarasi telefonszam mobilni telephone_portable"
        " телефон номер_телефона 電話 電話番号 携帯 携帯電話 手机 手机号 电话 联系电话 전화번호 휴대폰 هاتف whatsapp_id wa_id"
        " phne mob telf tel_no phone1 phone2 mobil mobiili matkapuhelin sími simi kinito τηλεφωνο κινητο telefonas talrunis"
    ),
    "DATE_OF_BIRTH": _set(
        "geburtstag geb_datum fecha_nacimiento fecha_de_nacimiento nacimiento date_naissance date_de_naissance naissance"
        " data_di_nascita data_nascita nascita data_nascimento data_de_nascimento nascimento geboortedatum data_urodzenia"
        " urodzenia fodelsedatum fodselsdato fodselsdag syntymaaika dogum_tarihi datum_narozeni narozeni szuletesi_datum"
        " data_nasterii дата_рождения рождения 生年月日 出生日期 생년월일 bday birth_dt"
        # As people shorten them, by language.
        " gbdat birth_dt birthday_dt d_o_b b_day bdate birthdt dateofbirth dayofbirth born_on born_at yob y_o_b"
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
        " adr adr_line strt strt_nm stras address_line address_line1 mailing_address postal_address street_line street1 street2"
        " endereco_completo utca cim lakcime katu tanav aadress iela adrese gatve adresas diefthynsi διευθυνση cadde sokak dom"
    ),
    "PASSWORD": _set(
        "passwort kennwort contrasena mot_de_passe senha wachtwoord haslo sifre losenord salasana heslo пароль 密码 密碼"
        " 비밀번호 パスワード"
    ),
}
"""Entity -> words and phrases (joined by _) beside those in `names`."""

CATEGORY_WORDS: dict[str, frozenset[str]] = {
    "GENDER": _set(
        "gender sex geschlecht genre sexe genero sexo genere sesso geslacht plec kon kjonn kjoenn sukupuoli cinsiyet pohlavi nem"
        " пол стать 性別 性别 성별 جنس gender_identity"
    ),
    "RELIGION": _set(
        "religion religious_affiliation religious_belief faith creed konfession religionszugehorigkeit religione religiao"
        " confession_religieuse godsdienst wyznanie uskonto din vallas религия вероисповедание 宗教 종교"
    ),
    "ETHNICITY": _set(
        "ethnicity ethnic_group ethnic_origin ethnic_background race ethnie origine_ethnique etnia origen_etnico ethnische_herkunft"
        " raza raca etniciteit национальность 民族 種族 인종 cor_raca"
    ),
    "POLITICAL_OPINION": _set(
        "political_party party_affiliation political_affiliation political_opinion political_views political_orientation"
        " political_leaning registered_party voter_party politische_meinung partei parteizugehorigkeit parti_politique"
        " partido_politico partito_politico 政治面貌"
    ),
    "SEXUAL_ORIENTATION": _set(
        "sexual_orientation sexuality sexuelle_orientierung orientation_sexuelle orientacion_sexual orientamento_sessuale"
        " orientacao_sexual sexualitat 性的指向 性取向"
    ),
    "TRADE_UNION_MEMBERSHIP": _set(
        "trade_union union_member union_membership union_name labor_union labour_union gewerkschaft gewerkschaftsmitglied syndicat"
        " sindicato sindacato vakbond membre_syndicat afiliacion_sindical"
    ),
    "HEALTH": _set(
        "diagnosis diagnoses diagnosis_code icd icd9 icd10 icd_10 icd_code icd10_code dx_code primary_dx medical_condition"
        " medical_conditions medical_history health_condition health_status disease diseases illness allergy allergies medication"
        " medications prescription symptom symptoms blood_type blood_group disability disabilities pregnant is_pregnant"
        " blood blood_grp rh_factor rhesus_factor rhesusfaktor"
        " hiv_status hiv_positive smoker vaccination_status vaccinated chronic_condition comorbidity comorbidities"
        " diagnose diagnosen krankheit krankheiten vorerkrankung vorerkrankungen befund blutgruppe behinderung allergien medikation"
        " schwanger diagnostic_medical maladie maladies pathologie groupe_sanguin handicap diagnostico enfermedad alergia alergias"
        " grupo_sanguineo discapacidad patologia malattia gruppo_sanguigno allergie doenca deficiencia ziekte bloedgroep choroba"
        " диагноз заболевание группа_крови 診断 診断名 病名 血液型 诊断 疾病 血型 진단 혈액형"
    ),
    "BIOMETRIC_ID": _set(
        "biometric biometrics biometric_id biometric_template biometric_hash fingerprint_template fingerprint_data face_template"
        " face_embedding face_encoding faceprint face_id facial_template iris_code iris_template iris_scan voiceprint voice_print"
        " retina_scan palm_print biometrie biometrisch biometria"
    ),
    "USERNAME": _set(
        "username user_name usernames userlogin user_login login loginname login_name logon screen_name screenname nickname nick"
        " user_handle twitter_handle github_login github_username twitter_username instagram_username skype_id telegram_username"
        " account_name benutzername anmeldename benutzerkennung nombre_usuario nombre_de_usuario nom_utilisateur nom_d_utilisateur"
        " nome_utente nome_usuario gebruikersnaam anvandarnamn brugernavn kayttajatunnus kullanici_adi uzivatelske_jmeno pseudo"
        " логин ник имя_пользователя ユーザー名 ユーザ名 用户名 사용자명 gamertag"
    ),
    "LICENSE_PLATE": _set(
        "car_license car_licence vehicle_registration_number vehicle_registration_no vehicle_registration_plate vrm vrn ecv"
        " pkw_kennzeichen"
        " registracni_znacka registracijska_oznaka numer_rejestracyjny rendszam_tabla autonumber valstybinis_numeris plaka_no"
        " license_plate licence_plate licenseplate licenceplate plate_number plate_no plate platenumber number_plate"
        " numberplate registration_plate vehicle_registration vehicle_reg reg_plate car_plate kennzeichen kfz_kennzeichen"
        " matricula immatriculation plaque_immatriculation targa placa placa_vehiculo kenteken nummerplade registreringsnummer"
        " nr_rejestracyjny numer_rejestracyjny tablica_rejestracyjna plaka spz rendszam rekisterinumero госномер номер_авто"
        " 車両番号 ナンバー 车牌 车牌号 車牌 차량번호"
    ),
    "VIN": _set(
        "vin vin_number vin_no vehicle_identification_number chassis_number chassis_no fahrgestellnummer fahrgestellnr fin_nummer"
        " numero_chasis numero_telaio numero_chassis chassisnummer nr_vin 车架号 車台番号"
    ),
}
"""Entity of `categories` -> words and phrases."""

EXACTLY: dict[str, frozenset[str]] = {
    "PERSON": _set("first last middle nm sn cn fn"),
    "GENDER": _set("gesch sexkz"),
    "DRIVER_LICENSE": _set("drivers"),
}
"""Names that suffice alone, as abbreviations of directories and messages do, and mean something else beside other words."""

POSTCODES = _set(
    "zip zipcode postcode postal plz postleitzahl postal_code codigo_postal code_postal postnummer kod_pocztowy pincode"
    " posta_kodu postinumero psc 郵便番号 邮编 우편번호"
)

OF_THINGS = _set(
    "producto produit prodotto produto produkt artikel articulo articolo empresa firma entreprise azienda bedrijf tienda"
    " filiale ciudad ville stadt citta cidade"
)
"""Whose name is nobody's."""
