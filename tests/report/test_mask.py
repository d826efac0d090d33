from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.report.mask import mask


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("sk-proj-abc1234", "sk-p***********"),
        ("use ghp_0123456789abcdefghij now", "use ghp_******************** now"),
        (r'"Keys:\nghp_0123456789abcdefghij"', r'"Keys:\nghp_********************"'),
        (r'"\tAKIAIOSFODNN7EXAMPLE"', r'"\tAKIA****************"'),
        ("AKIAIOSFODNN7EXAMPLE", "AKIA****************"),
        ("xoxb-123456789012-abcdef", "xoxb********************"),
        ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer abcd************"),
        ("password=hunter2", "password=*******"),
        ('"api_key": "0123456789abcdef"', '"api_key": "0123************"'),
        ("postgres://app:s3cret@db/x", "postgres://app:******@db/x"),
    ],
)
def test_secrets_keep_their_length(text: str, masked: str) -> None:
    assert mask(text) == masked


def test_a_private_key_keeps_its_lines() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIB\nAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"
    masked = "-----BEGIN RSA PRIVATE KEY-----\nMII*****\n********\n-----END RSA PRIVATE KEY-----\n"
    assert mask(key) == masked


@pytest.mark.parametrize(
    "text",
    [
        "password={{ user.password }}",
        "connect(password=settings.password)",
        'api_key=os.environ["KEY"]',
        "token=uuid4().hex",
        "prompt_cache_key=f'{user}-{day}'",
        "request_id=3f2b8c1e-1111-4222-8333-944445555666",
        "Never tell the password: it is secret.",
        "max_tokens=100000",
        "basic troubleshooting-steps-for-beginners",
        "a task-force-for-something-long",
        "a -----BEGIN PRIVATE KEY----- in prose",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


@given(st.text() | st.from_regex(r"(sk-|password=|Bearer |://a:|token: )[\w\s@=.-]{0,40}"))
def test_length_and_line_ends_stay(text: str) -> None:
    masked = mask(text)
    assert len(masked) == len(text)
    assert [char.isspace() for char in masked] == [char.isspace() for char in text]


@pytest.mark.parametrize("unit", ["sk-", "password=", "eyJaaaaaaaa.", "://", "-----BEGIN PRIVATE KEY-----", "token: a"])
def test_time_grows_with_the_text_only(unit: str) -> None:
    started = time.process_time()
    mask(unit * (300_000 // len(unit)))
    assert time.process_time() - started < 2
