"""payments (Avro), users (JSON Schema) and deliveries (Protobuf): topics whose values have a schema in the registry."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache, partial
from typing import Any

from fastavro import parse_schema, schemaless_writer
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from api.demo.plan import Planted, Record, TopicPlan, Trap, ValueSchema, compact
from api.demo.world import World, iso, uuid_of

PLANTED = (
    Planted("payments", "value.iban", "IBAN_CODE"),
    Planted("payments", "value.card.number", "CREDIT_CARD"),
    Planted("payments", "value.payer", "PERSON"),
    Planted("users", "value.email", "EMAIL_ADDRESS"),
    Planted("users", "value.name", "PERSON"),
    Planted("users", "value.phone", "PHONE_NUMBER"),
    Planted("users", "value.birth_date", "DATE_OF_BIRTH"),
    Planted("users", "value.tax_id", "US_SSN"),
    Planted("deliveries", "value.recipient.name", "PERSON"),
    Planted("deliveries", "value.recipient.phone", "PHONE_NUMBER"),
    Planted("deliveries", "value.recipient.street", "LOCATION"),
    Planted("deliveries", "value.driver_email", "EMAIL_ADDRESS"),
)
TRAPS = (
    Trap("payments", "value.merchant_id", "PHONE_NUMBER", "a ten-digit id"),
    Trap("users", "value.email_verified", "EMAIL_ADDRESS", "a boolean named after it"),
)

PAYMENT = {
    "type": "record",
    "name": "Payment",
    "namespace": "com.example.shop",
    "fields": [
        {"name": "payment_id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "order_id", "type": "string"},
        {"name": "payer", "type": "string"},
        {"name": "iban", "type": ["null", "string"], "default": None},
        {
            "name": "card",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "Card",
                    "fields": [{"name": "number", "type": "string"}, {"name": "expires", "type": "string"}],
                },
            ],
            "default": None,
        },
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
        {"name": "currency", "type": {"type": "enum", "name": "Currency", "symbols": ["EUR", "USD", "GBP"]}},
        {"name": "merchant_id", "type": "long"},
        {"name": "state", "type": "string", "default": "settled"},
        {"name": "paid_at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    ],
}

USER = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "User",
    "type": "object",
    "properties": {
        "user_id": {"type": "string"},
        "name": {"type": "string"},
        "email": {"type": "string", "format": "email"},
        "email_verified": {"type": "boolean"},
        "phone": {"type": ["string", "null"]},
        "birth_date": {"type": "string", "format": "date"},
        "tax_id": {"type": "string"},
        "country": {"type": "string"},
        "newsletter": {"type": "boolean"},
        "created_at": {"type": "string", "format": "date-time"},
    },
    "required": ["user_id", "email", "country"],
}

DELIVERY_PROTO = """syntax = "proto3";
package shop;

message Delivery {
  string delivery_id = 1;
  string order_id = 2;
  string van = 3;
  string driver_email = 4;
  Recipient recipient = 5;
  State state = 6;
  repeated int32 parcel_grams = 7;
  int64 planned_at_ms = 8;

  message Recipient {
    string name = 1;
    string phone = 2;
    string street = 3;
    string city = 4;
  }

  enum State {
    PLANNED = 0;
    ON_THE_WAY = 1;
    DELIVERED = 2;
    FAILED = 3;
  }
}
"""


@cache
def delivery_class() -> Any:
    """The message class of DELIVERY_PROTO, built without a compiler."""
    kinds = descriptor_pb2.FieldDescriptorProto
    text, number32, number64, message, enum = (
        kinds.TYPE_STRING,
        kinds.TYPE_INT32,
        kinds.TYPE_INT64,
        kinds.TYPE_MESSAGE,
        kinds.TYPE_ENUM,
    )
    file = descriptor_pb2.FileDescriptorProto(name="shop/delivery.proto", package="shop", syntax="proto3")
    delivery = file.message_type.add(name="Delivery")
    recipient = delivery.nested_type.add(name="Recipient")
    state = delivery.enum_type.add(name="State")
    for number, name in enumerate(("PLANNED", "ON_THE_WAY", "DELIVERED", "FAILED")):
        state.value.add(name=name, number=number)

    def add(to: Any, number: int, name: str, kind: Any, *, type_name: str = "", repeated: bool = False) -> None:
        label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
        to.field.add(name=name, number=number, type=kind, label=label, type_name=type_name or None)

    for number, name in enumerate(("delivery_id", "order_id", "van", "driver_email"), 1):
        add(delivery, number, name, text)
    add(delivery, 5, "recipient", message, type_name=".shop.Delivery.Recipient")
    add(delivery, 6, "state", enum, type_name=".shop.Delivery.State")
    add(delivery, 7, "parcel_grams", number32, repeated=True)
    add(delivery, 8, "planned_at_ms", number64)
    for number, name in enumerate(("name", "phone", "street", "city"), 1):
        add(recipient, number, name, text)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Delivery"))


def _payments(world: World, rng: random.Random) -> Iterator[Record]:
    schema = parse_schema(PAYMENT)
    for at in world.times(rng, 1000, 14):
        payer = rng.choice(world.customers)
        by_card = rng.random() < 0.5
        expires = f"{rng.randrange(1, 13):02d}/{rng.randrange(27, 32)}"
        payment_id = uuid_of(rng)
        value = {
            "payment_id": payment_id,
            "order_id": f"O-{100000 + rng.randrange(1500)}",
            "payer": payer.name,
            "iban": None if by_card else payer.iban,
            "card": {"number": payer.card, "expires": expires} if by_card else None,
            "amount": Decimal(rng.randrange(490, 60000)) / 100,
            "currency": {"US": "USD", "UK": "GBP"}.get(payer.region, "EUR"),
            "merchant_id": 4820190000 + rng.randrange(40),
            "state": rng.choices(("settled", "refused", "charged back"), (94, 5, 1))[0],
            "paid_at": datetime.fromtimestamp(at / 1000, UTC),
        }
        out = io.BytesIO()
        schemaless_writer(out, schema, value)
        yield Record(payment_id.encode(), out.getvalue(), (), at)


def _users(world: World, rng: random.Random) -> Iterator[Record]:
    for at in world.times(rng, 500, 30):
        person = rng.choice(world.customers)
        value: dict[str, object] = {
            "user_id": person.id,
            "name": person.name,
            "email": person.email,
            "email_verified": rng.random() < 0.8,
            "phone": person.phone if rng.random() < 0.7 else None,
            "birth_date": date.fromisoformat(person.birth_date).isoformat(),
            "country": person.country,
            "newsletter": rng.random() < 0.6,
            "created_at": iso(at),
        }
        if person.tax_id and rng.random() < 0.6:
            value["tax_id"] = person.tax_id
        yield Record(person.id.encode(), compact(value), (), at)


def _deliveries(world: World, rng: random.Random) -> Iterator[Record]:
    delivery = delivery_class()
    for at in world.times(rng, 600, 7):
        person = rng.choice(world.customers)
        value = delivery(
            delivery_id=uuid_of(rng),
            order_id=f"O-{100000 + rng.randrange(1500)}",
            van=rng.choice(world.vans),
            driver_email=rng.choice(world.staff).email,
            recipient={"name": person.name, "street": person.street, "city": person.city},
            state=rng.choices((0, 1, 2, 3), (1, 2, 6, 1))[0],
            parcel_grams=[rng.randrange(80, 9000) for _ in range(rng.randint(1, 3))],
            planned_at_ms=at + rng.randrange(3_600_000),
        )
        if rng.random() < 0.8:
            value.recipient.phone = person.phone
        yield Record(value.delivery_id.encode(), value.SerializeToString(deterministic=True), (), at)


def plans(world: World) -> list[TopicPlan]:
    table = {
        "payments": (_payments, 3, "avro", ValueSchema("AVRO", json.dumps(PAYMENT))),
        "users": (_users, 2, "json", ValueSchema("JSON", json.dumps(USER))),
        "deliveries": (_deliveries, 2, "protobuf", ValueSchema("PROTOBUF", DELIVERY_PROTO)),
    }
    return [
        TopicPlan(
            name=name,
            partitions=partitions,
            format={"key": "string", "value": value},
            make=partial(make, world),
            seed=f"{world.seed}:{name}",
            schema=schema,
        )
        for name, (make, partitions, value, schema) in table.items()
    ]
