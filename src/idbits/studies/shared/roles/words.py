"""The words of column names: what they mean in English, German, French, Spanish, Dutch, Hungarian and Norwegian.

Words are written in lower case without accents. A word may have several meanings.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

__all__ = ["FILLERS", "NEUTRAL", "Sense", "senses"]


class Sense(StrEnum):
    """What a word of a column's name can mean."""

    NUMBER = "the number or key of something"
    PERSON = "a person"
    HOUSEHOLD = "a household"
    RECORD = "a record or an event"
    PLACE = "a place or an organisation"
    THING = "a thing or a class of things"
    CLASS = "a type, a status or another label"
    FLAG = "yes or no"
    OWN_NUMBER = "a number that a person has"
    CONTACT = "where a person can be reached"
    PERSON_NAME = "the name of a person"
    ANY_NAME = "the name of somebody or something"
    BIRTH = "a birth"
    TIME = "a date or a time"
    PART = "a part of a date"
    SPAN = "how long something takes"
    KNOWN = "what someone may know about a person"
    SENSITIVE = "what must not be learnt about a person"
    MEASURE = "a measured value or an amount"
    TALLY = "a number of things"
    PEOPLE = "people as a number"
    TEXT = "free text"


FILLERS = frozenset(
    ["a", "an", "the", "of", "at", "in", "on", "for", "to", "and", "or", "by", "per", "from", "with", "is", "was", "as", "der", "die", "das", "des", "den", "dem", "von", "vom", "zu", "zum", "zur", "am", "im", "und", "de", "du", "des", "la", "le", "les", "l", "d", "et", "en", "au", "aux", "del", "los", "las", "el", "y", "e", "het", "van", "te", "op", "voor", "der", "az", "egy", "es", "og", "av", "til"]
)
"""Words that carry no meaning of their own."""

NEUTRAL = frozenset(
    ["system", "unit", "offset", "current", "total", "main", "primary", "secondary", "first", "last", "next", "previous", "other", "new", "old", "full", "short", "long", "code", "principal", "haupt", "neben", "gesamt", "standard", "global", "local", "base", "basis", "info", "data", "file", "table", "value"]
)
"""Words that may be part of a compound and say nothing about its role."""

_WORDS: Mapping[Sense, str] = {
    Sense.NUMBER: """
        id ids ident identifier identifiers identity identification uid guid uuid key pk rowid no nr nbr num number numbers
        ref reference serial seq seqn sequence pseudonym pseudo pseudonymised token hash hashed encrypted encr index idx
        kennung kennnummer kennzeichen nummer nummern schluessel schlussel lfd laufnummer identifikator
        identifiant identificateur numero cle matricule ref identificador identificacion clave folio codigo
        identificatie kenmerk sleutel volgnummer nummer azonosito azonositoja szam szama sorszam kulcs kod kodja
        lopenr lopenummer lnr nokkel
    """,
    Sense.PERSON: """
        person persons personal individual individuals indiv human patient patients pat pt subject subj participant
        participants respondent membership respondents resp member mem mbr client clients customer cust consumer user usr account
        employee emp empl staff worker student pupil learner teacher inmate offender prisoner detainee arrestee defendant
        suspect victim voter citizen resident taxpayer beneficiary bene enrollee enrolee subscriber insured claimant
        applicant borrower debtor holder cardholder owner tenant donor passenger driver rider pilot player athlete
        mother father parent child spouse partner sibling guardian doctor physician provider practitioner prescriber
        clinician nurse caregiver surgeon officer agent judge attorney candidate author contact caller guest visitor
        reviewer buyer seller survivor proband case anon
        personen kunde kunden patienten patientin versicherte versicherten versicherter mitglied mitglieder mitarbeiter
        schuler schueler lehrer teilnehmer probanden nutzer benutzer einwohner burger buerger gefangener arzt halter
        mieter bewerber antragsteller fahrer mutter vater kind spieler
        personne personnes individu individus assure adherent eleve etudiant salarie employe utilisateur beneficiaire
        detenu sujet medecin mere pere enfant conjoint abonne
        persona personas paciente pacientes cliente clientes usuario alumno estudiante empleado trabajador individuo
        ciudadano asegurado interno beneficiario socio medico madre padre hijo conductor votante
        persoon persoons personen klant klanten gebruiker leerling werknemer medewerker burger verzekerde lid leden
        bewoner deelnemer arts moeder vader partner rinpersoon
        szemely szemelyi ugyfel ugyfelek beteg paciens vevo tanulo hallgato dolgozo felhasznalo biztositott lakos tag
        orvos anya apa
        bruker pasient kunde elev ansatt
    """,
    Sense.HOUSEHOLD: """
        household households hh hhold hld hhd family families fam dwelling home house
        haushalt haushalte haushalts familie menage foyer logement hogar vivienda familia huishouden huishoudens huishoud huis
        gezin woning haztartas csalad lakas husholdning bolig
    """,
    Sense.RECORD: """
        record records rec row rows line event events visit visits encounter admission adm hadm stay icustay episode epi
        spell transaction trans txn trip ride journey order orders invoice basket receipt ticket booking reservation claim
        incident offer report message msg session log entry sample specimen test arrest loan application contract policy
        request call tweet post observation obs measurement exposure occurrence prescription consultation cons response
        submission survey interview experiment pharmacy labevent document file dossier permit registration reg
        datensatz satz zeile fall falle vorgang buchung auftrag besuch aufenthalt rechnung vertrag akte
        ligne enregistrement sejour visite commande facture contrat passage
        fila registro visita episodio pedido factura expediente ingreso historia contrato
        rij regel bezoek opname bestelling factuur zaak
        sor rekord eset latogatas rendeles szamla ugy
    """,
    Sense.PLACE: """
        place location loc site area zone region regional city town village suburb county state province country nation
        district ward boro precinct beat block tract puma msa community municipality municipal municip commune parish borough
        neighbourhood neighborhood building hospital clinic practice gpprac school university college institution facility
        station store shop branch office agency company employer firm vendor supplier organisation organization org
        department dept unit team league club care payer insurer bank court prison jail carrier airport route street_number
        latitude longitude lat lon lng long coordinate coordinates coord geo urban rural residence birthplace origin
        ort stadt gemeinde kreis landkreis bundesland land wohnort plz postleitzahl postleitzahlen krankenhaus schule filiale
        ville departement pays quartier etablissement hopital ecole magasin
        ciudad pueblo provincia pais barrio municipio localidad poblacion hospital escuela tienda centro comunidad
        plaats woonplaats stad gemeente gemeentecode provincie wijk buurt ziekenhuis school winkel vestiging
        telepules varos megye orszag kerulet hely helye korhaz iskola
        kommune kommunenr fylke by sted
    """,
    Sense.THING: """
        product prod item article sku stock movie film title song track album book game drug device vehicle car concept
        campaign coupon activity service plan package currency language lang version model brand source channel page
        item itemid question answer variable feature column batch lot resource theme topic tag asset equipment
        produkt artikel ware sprache marke produit langue producto articulo idioma marca taal merk termek cikk nyelv
    """,
    Sense.CLASS: """
        type types kind category categories cat class classe group grp level grade rank tier code codes cd label lbl desc
        description descr status stat state condition outcome result reason cause mode method source_value scale band range
        quality decile quintile quartile percentile stage phase step segment cluster stratum strata priority flagcode
        relationship relation role purpose suffix prefix format size grosse groesse taille tamano grootte meret
        art typ klasse gruppe stufe grund status kategorie
        categorie groupe niveau motif statut tipo clase grupo nivel estado motivo categoria
        soort groep reden niveau toestand tipus csoport ok allapot szint
    """,
    Sense.FLAG: "flag flg ind indicator yn yesno bool binary is has had any dummy",
    Sense.OWN_NUMBER: """
        ssn sin nino nhs nhsnumber mrn npi dea upn csn empi docno mergeid nomem nohouse pidp hidp caseid epikey hesid enrolid patid pid hid hhid cid eid subjid usubjid
        personid userid uid rinpersoon rinpersoons empi mpi passport license licence licenses plate vin medallion
        iban bic swift account acct konto accountno card cardnumber creditcard pan imei imsi msisdn mac cookie
        sozialversicherungsnummer versichertennummer versicherungsnummer steuernummer steuerid svnr ahv reisepass ausweis
        personalausweis kontonummer kennzeichen krankenversichertennummer
        nir insee nss secu passeport siret permis immatriculation compte rib
        dni nif nie curp rfc cpf pasaporte nss cuenta matricula cedula
        bsn burgerservicenummer sofinummer rekeningnummer rekening paspoort kenteken rijbewijs
        taj tajszam adoszam adoazonosito szemelyi utlevel rendszam bankszamla bankszamlaszam szamlaszam
        personnummer fodselsnummer fnr pesel cpr kennitala hetu
    """,
    Sense.CONTACT: """
        email emails mail mailadresse mailaddress phone phones telephone tel cell cellphone mobile fax address addresses addr
        adress street ipaddress login username nickname handle twitter facebook linkedin homepage
        telefon telefonnummer handy handynummer mobil mobilnummer anschrift adresse strasse hausnummer wohnadresse rufnummer
        courriel telephone portable adresse rue correo telefono movil direccion calle domicilio
        telefoonnummer telefoon mobiel adres straat straatnaam emailadres
        telefonszam mobilszam lakcim cim cime utca lakcime
        epost mobilnummer
    """,
    Sense.PERSON_NAME: """
        surname surnames lastname firstname forename forenames fullname givenname familyname maidenname maiden middlename
        lname fname mname ename givennames initials nachname vorname familienname geburtsname rufname zuname
        prenom prenoms patronyme apellido apellidos achternaam voornaam voornamen tussenvoegsel voorletters familienaam
        vezeteknev keresztnev csaladnev utonev leanykori etternavn fornavn alias
    """,
    Sense.ANY_NAME: "name names namen nom noms nombre nombres naam namen nev neve navn first last given middle",
    Sense.BIRTH: """
        birth born dob yob mob birthdate birthday birthyear birthdt bday brthdt birthdatum gebdat gebjahr gebjaar geb geburt
        geburts geburtsdatum geburtsjahr geburtstag geburtsort geburtsmonat geboren naissance naiss nai nacimiento nac nacido
        geboorte geboortedatum geboortejaar geboorteland geboorteplaats szuletes szuletesi szul fodsel fodselsdato fodt
          
    """,
    Sense.TIME: """
        date dates datetime dt dtm dttm time times timestamp ts tstamp stamp epoch moment when start starttime begin end
        endtime stop stoptime expiry expires due since until admitted discharged created updated modified deleted opened
        closed onset discharge hiredate dod charttime storetime admittime dischtime deathtime pickup dropoff debut wave
        datum zeit zeitpunkt zeitstempel uhrzeit beginn ende aufnahmedatum entlassungsdatum
        horodatage debut fin jour heure fecha hora inicio fecha_alta
        tijd tijdstip begindatum einddatum datumaanvang
        ido idopont datuma kezdet kezdete vege idobelyeg
        dato tid tidspunkt
    """,
    Sense.PART: """
        year yr syear month mo mon day dow weekday week hour hours minute quarter qtr season semester fy
        jahr monat tag wochentag woche stunde quartal annee an ann mois moi jour semaine heure trimestre
        ano anio mes dia semana hora trimestre jaar maand dag week uur kwartaal ev honap nap het ora negyedev
        aar maned uke
    """,
    Sense.SPAN: """
        duration dur length los tenure elapsed interval days years months weeks minutes seconds age_since prior ago gap
        dauer verweildauer laufzeit tage jahre duree anciennete duracion estancia dias anos meses duur looptijd ligduur
        dagen jaren idotartam napok evek
    """,
    Sense.KNOWN: """
        age aged agegroup sex gender race racial ethnic ethnicity ethnos nationality nation citizenship citizen native foreign
        marital marst married marriage widowed divorced relationship education educ edu schooling degree qualification
        occupation occ job profession employment employer employed work workclass industry isco nace soc position postcode
        postal zip zipcode zcta height eye hair handedness veteran immigrant migrant tribe caste household_size hhsize hsize
        children child dependents siblings rooms ownership housing tenure_status vehicle car language insurance title
        salutation prefix suffix senior student speciality specialty hours deprivation imd lsoa party_size
        alter geschlecht familienstand beruf staatsangehorigkeit staatsangehoerigkeit nationalitat nationalitaet bildung
        schulabschluss erwerbsstatus haushaltsgrosse haushaltsgroesse kinder konfession_kind herkunft krankenkasse versicherung versicherungs
        sexe genre profession metier diplome nationalite situation enfants csp
        sexo genero edad profesion ocupacion nacionalidad estudios hijos civil
        geslacht leeftijd beroep opleiding nationaliteit herkomst kinderen huisnummer 
        nem neme kor eletkor foglalkozas vegzettseg allampolgarsag gyermek gyermekek csaladi iranyitoszam iskolai
        kjonn alder yrke utdanning sivilstand statsborgerskap
    """,
    Sense.SENSITIVE: """
        diagnosis diagnoses diagnose diagnostic diagnosed diag dx disease diseases illness symptom symptoms icd medication
        medications medicine drug drugs prescription treatment therapy procedure proc surgery surgical operation opertn
        hiv aids cancer diabetes insulin infection pregnancy pregnant abortion mental psychiatric depression suicide addiction alcohol
        smoker smoking disability disabled impairment handicap health condition conditions allergy vaccine vaccination death
        died deceased mortality hospitalised hospitalized symptomatic comorbidity genetic genotype
        income incomes inc salary salaries sal wage wages earnings pay debt bankruptcy delinquent default benefits welfare credit
        religion religious faith church politic politics political party vote voted ballot union
        sexual sexuality orientation crime crimes offense offence offenses conviction convicted charge sentence felony verdict
        criminal arrest violence abuse
        krankheit krankheiten diagnosen hauptdiagnose nebendiagnose medikament behandlung einkommen gehalt
        lohn schulden partei konfession religionszugehorigkeit behinderung schwanger straftat
        diagnostic maladie traitement medicament revenu revenus salaire dette religion parti handicap grossesse
        diagnostico enfermedad tratamiento medicamento procedimiento ingresos salario sueldo renta deuda partido
        discapacidad embarazo delito
        ziekte aandoening behandeling medicijn inkomen salaris loon schuld godsdienst geloof partij handicap zwanger misdrijf
        basisloon diagnosecode
        diagnozis betegseg kezeles gyogyszer jovedelem fizetes ber adossag vallas part rokkantsag terhesseg
        sykdom inntekt lonn gjeld
    """,
    Sense.MEASURE: """
        amount amt amnt price cost costs fare fee charges charged tip toll tax balance total sum value val valuenum valueuom
        rate ratio score scores weight weights wt wgt wght perwt hhwt fnlwgt coeff coefficient factor level dose
        dosage pressure temp temperature glucose cholesterol bmi lab labs crp hemoglobin haemoglobin creatinine systolic diastolic bp hba ldl hdl triglycerides sodium
        potassium platelets wbc rbc leukocytes leucocytes lactate bilirubin albumin urea egfr pulse respiratory oxygen spo distance speed
        volume mass quantity qty pct percent percentage mean avg average median max min std dev index gain loss revenue sales
        spend spent expense expenses expenditure payment paid pymnt installment instalment discount disc margin profit turnover
        reimbursement allowance probability estimate reading measurement rating lower upper low high dti offset delta diff difference change
        betrag preis kosten summe wert gewicht umsatz menge saldo
        montant prix cout somme valeur poids mnt quantite importe monto precio coste costo valor peso cantidad total
        bedrag prijs kosten waarde gewicht aantal_stuks hoeveelheid omzet
        osszeg ar ara ertek suly mennyiseg koltseg
        belop pris verdi vekt
    """,
    Sense.TALLY: """
        count counts cnt n number freq frequency tally anzahl haufigkeit haeufigkeit nombre nb effectif effectifs cantidad
        frecuencia aantal antall db_szam letszam szama
    """,
    Sense.PEOPLE: """
        people persons population pop inhabitants residents individuals births deaths cases headcount
        personen einwohner bevolkerung bevoelkerung geburten habitants personnes naissances deces
        personas habitantes poblacion nacimientos inwoners bevolking geboorten lakossag nepesseg lakosok fo
        personer innbyggere folkemengde
    """,
    Sense.TEXT: """
        comment comments note notes remark remarks text narrative freetext memo message body query search keyword keywords
        bio about feedback review tweet post request summary abstract description desc explanation answer_text story reasontext
        bemerkung bemerkungen kommentar kommentare anmerkung anmerkungen beschreibung freitext notiz hinweis
        commentaire commentaires remarque remarques texte libre observations observacion observaciones comentario comentarios
        nota notas texto descripcion opmerking opmerkingen toelichting omschrijving tekst notitie
        megjegyzes megjegyzesek leiras szoveg merknad kommentar
    """,
}


@cache
def _meanings() -> dict[str, frozenset[Sense]]:
    meanings: dict[str, set[Sense]] = {}
    for sense, words in _WORDS.items():
        for word in words.split():
            meanings.setdefault(word, set()).add(sense)
    return {word: frozenset(found) for word, found in meanings.items()}


def senses(word: str) -> frozenset[Sense]:
    """Return the meanings of a word in lower case without accents; none if it is unknown.

    >>> sorted(map(str, senses("patient")))
    ['a person']
    """
    return _meanings().get(word, frozenset())
