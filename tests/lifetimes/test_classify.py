from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.dialects import jinja
from promptlint.events import FIXED, UNKNOWN, Confidence, Event, Evidence, Lifetime
from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Compare,
    Element,
    Expression,
    Filter,
    Format,
    Index,
    Join,
    Literal,
    Name,
    Slice,
    Truth,
    Unknown,
)
from promptlint.lifetimes.classify import Classifier, Declared, lifetime_of
from promptlint.lifetimes.table import KINDS
from promptlint.source import Place, Source, Span

Read = Callable[[str], tuple[Expression, Source]]
AT = Span(0, 0)
LOW, MEDIUM, HIGH = Confidence


def said(lifetime: Lifetime) -> str:
    """The kinds with their events: "clock day, input turn"."""
    return ", ".join(" ".join([cause.kind, *sorted(cause.events)]) for cause in lifetime.causes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The time now, and formats that decide how much of it is written.
        ("now()", "clock request"),
        ("utcnow()", "clock request"),
        ("datetime.now()", "clock request"),
        ("dt.datetime.now(tz)", "clock request"),
        ("datetime.datetime.utcnow()", "clock request"),
        ("datetime.today()", "clock request"),
        ("date.today()", "clock day"),
        ("datetime.date.today()", "clock day"),
        ("today_at('07:00')", "clock day"),
        ("time.time()", "clock request"),
        ("time.strftime('%Y')", "clock deploy"),
        ("time.strftime('%d %H')", "clock day"),
        ("strftime_now('%Y-%m-%d')", "clock day"),
        ("strftime_now('%d %b %Y %H:%M')", "clock request"),
        ("strftime_now('no clock')", ""),
        ("Date()", "clock request"),
        ("Date.now()", "clock request"),
        ("DateTime.now().toFormat('yyyy-MM-dd')", "clock day"),
        ("DateTime.now().toFormat('HH:mm')", "clock request"),
        ("dayjs().format('MMMM YYYY')", "clock deploy"),
        ("moment().format('YYYY-MM-DD')", "clock day"),
        ("moment().format()", "clock request"),
        ("format(Date(), 'yyyy-MM-dd')", "clock day"),
        ("format(now(), '%H:%M')", "clock request"),
        ("formatInTimeZone(Date(), 'Europe/Oslo', 'yyyy-MM-dd')", "clock day"),
        ("now().strftime('%H:%M:%S')", "clock request"),
        ("now().strftime('%Y-%m-%d')", "clock day"),
        ("now().strftime('%B %Y')", "clock deploy"),
        ("now().date()", "clock day"),
        ("now().time()", "clock request"),
        ("now().isoformat()", "clock request"),
        ("date.today().isoformat()", "clock day"),
        ("date.today().strftime('%H:%M')", "clock day"),
        ("now().isoformat(timespec='hours')", "clock day"),
        ("now().hour", "clock day"),
        ("now().minute", "clock request"),
        ("now().year", "clock deploy"),
        ("now().month", "clock deploy"),
        ("now().day", "clock day"),
        ("now().weekday()", "clock day"),
        ("datetime.now().timestamp()", "clock request"),
        ("now().replace(minute=0, second=0, microsecond=0)", "clock day"),
        ("now().replace(microsecond=0)", "clock request"),
        ("str(now())", "clock request"),
        ("str(now())[:10]", "clock day"),
        ("str(now())[:16]", "clock request"),
        ("now().isoformat()[:10]", "clock day"),
        ("now().isoformat()[:13]", "clock day"),
        ("now().isoformat()[:7]", "clock deploy"),
        ("now().isoformat()[11:16]", "clock request"),
        ("now().isoformat().split('T')[0]", "clock day"),
        ("now().isoformat().split('T')[1]", "clock request"),
        ("str(now()).split(' ')[0]", "clock day"),
        ("str(now()).split()[0]", "clock day"),
        ("str(now()).split('.')[0]", "clock request"),
        ("now().strftime('%H:%M:%S')[:5]", "clock request"),
        ("now().strftime('%H:%M:%S')[:2]", "clock day"),
        ("now().strftime('%A %H:%M')[:10]", "clock request"),
        ("now().isoformat().replace('T', ' ')[:10]", "clock day"),
        ("now().timestamp() | floordiv(86400)", "clock day"),
        ("now().timestamp() | floordiv(3600)", "clock day"),
        ("now().timestamp() | floordiv(604800)", "clock deploy"),
        ("now().timestamp() | floordiv(60)", "clock request"),
        ("now().timestamp() | floordiv(60) | floordiv(60)", "clock day"),
        ("Date.now() | floordiv(86400)", "clock request"),
        ("Date.now() | floordiv(86400000)", "clock day"),
        ("Date().getTime() | floordiv(86400)", "clock request"),
        ("time.time_ns() | floordiv(86400)", "clock request"),
        ("now().microsecond | floordiv(86400)", "clock request"),
        ("(now().timestamp() * 1000) | floordiv(86400)", "clock request"),
        ("now().hour | floordiv(6)", "clock day"),
        ("(now().timestamp() - x) | floordiv(86400)", "clock day"),
        ("f'{datetime.now():.10}'", "clock day"),
        ("f'{datetime.now():<20.10s}'", "clock day"),
        ("f'{datetime.now():.7}'", "clock deploy"),
        ("f'{datetime.now():.16}'", "clock request"),
        ("f'{datetime.now():20}'", "clock request"),
        ("f'{str(now())[11:]:.2}'", "clock day"),
        ("f'{str(now())[11:]:.5}'", "clock request"),
        ("'{:%Y-%m-%d}'.format(now())", "clock day"),
        ("'{0:%Y-%m-%d} {1}'.format(now(), uuid4())", "clock day, id request"),
        ("'{} {:%Y}'.format(uuid4(), now())", "id request, clock deploy"),
        ("'{at:%H:%M}'.format(at=now())", "clock request"),
        ("'{0.year}'.format(now())", "clock deploy"),
        ("'{:.10}'.format(now())", "clock day"),
        ("'{}'.format(now())", "clock request"),
        ("'{missing:%Y}'.format(now())", "clock request"),
        ("'{0:%Y'.format(now())", "clock request"),
        ("'no field'.format(now())", ""),
        ("now() + timedelta(days=1)", "clock request"),
        ("(now() + timedelta(days=1)).strftime('%Y-%m-%d')", "clock day"),
        ("(now() - timedelta(days=1)).date()", "clock day"),
        ("f'{datetime.now():%H:%M}'", "clock request"),
        ("f'{datetime.now():%Y-%m-%d}'", "clock day"),
        ("f'{datetime.now():>30}'", "clock request"),
        ("Date().toISOString()", "clock request"),
        ("Date().toISOString().slice(0, 10)", "clock day"),
        ("Date().toISOString().substring(0, 10)", "clock day"),
        ("Date().toISOString().split('T')[0]", "clock day"),
        ("Date().toLocaleDateString()", "clock day"),
        ("Date().toLocaleDateString('en-US', month='long', year='numeric')", "clock deploy"),
        ("Date().toLocaleString()", "clock request"),
        ("Date().toLocaleString('en-US', dateStyle='full')", "clock day"),
        ("Date().toLocaleTimeString()", "clock request"),
        ("Date().toLocaleTimeString('en', hour='2-digit')", "clock day"),
        ("Date().toDateString()", "clock day"),
        ("Date().getFullYear()", "clock deploy"),
        ("Date().getHours()", "clock day"),
        ("Date().getMinutes()", "clock request"),
        ("Intl.DateTimeFormat('en').format(Date())", "clock day"),
        ("Intl.DateTimeFormat('en', minute='2-digit').format(Date())", "clock request"),
        ("Math.floor(Date.now() / 1000)", "clock request"),
        ("now() | strftime('%Y-%m-%d')", "clock day"),
        ("as_timestamp(now()) | timestamp_custom('%H:%M')", "clock request"),
        ("as_timestamp(now()) | timestamp_custom('%Y-%m-%d', True)", "clock day"),
        ("now() | date('Y-m-d')", "clock day"),
        ("'now' | date('%H:%M')", "clock request"),
        ("'now' | date('Y')", "clock deploy"),
        ("now() | string | trim", "clock request"),
        ("(now() | string)[:10]", "clock day"),
        ("(now() | string | split(' ') | first)", "clock day"),
        ("now().isoformat().split('T') | first", "clock day"),
        ("relative_time(states.sensor.door.last_changed)", "clock request"),
        ("subprocess.run(['date', '+%Y-%m-%d'])", "clock day"),
        ("execSync('date').toString().trim()", "clock request"),
        # A conversion of somebody else's moment is no clock.
        ("Date(item.created)", ""),
        ("moment(order.date).format('HH:mm')", ""),
        ("time.ctime(stat.mtime)", ""),
        ("foo.now()", ""),
        ("clock()", "clock request"),
        ("clock(x)", ""),
        ("wall.clock()", ""),
        ("datetime.fromtimestamp(item.created)", ""),
        ("item.created_at.strftime('%H:%M')", ""),
        # Identifiers and draws.
        ("uuid.uuid4()", "id request"),
        ("str(uuid.uuid4())[:8]", "id request"),
        ("uuid4().hex", "id request"),
        ("crypto.randomUUID()", "id request"),
        ("secrets.token_hex(8)", "id request"),
        ("nanoid()", "id request"),
        ("uuid()", "id request"),
        ("generate_id()", "id request"),
        ("generateId()", "id request"),
        ("generate_uuid()", "id request"),
        ("uuid('name')", ""),
        ("generate_id(product)", ""),
        ("product.generate_id()", ""),
        ("uuid.uuid5(NAMESPACE, 'name')", ""),
        ("hashlib.sha256('text').hexdigest()", ""),
        ("random.choice(['a', 'b'])", "choice request"),
        ("['a', 'b'] | random", "choice request"),
        ("Math.random()", "choice request"),
        ("random('stormy', 'calm')", "choice request"),
        ("random_choice(tips)", "choice request"),
        ("pick_random(tips)", "choice request"),
        ("rng.random()", "choice request"),
        ("rng.seed()", ""),
        ("pick('Short', 'Long')", ""),
        ("pick_first(tips)", ""),
        # Surroundings.
        ("os.getcwd()", "environment user"),
        ("Path.cwd()", "environment user"),
        ("process.cwd()", "environment user"),
        ("os.listdir('.')", "environment request"),
        ("subprocess.run(['git', 'status', '--short'], text=True).stdout", "environment request"),
        ("subprocess.check_output('git diff HEAD', shell=True)", "environment request"),
        ("socket.gethostname()", "environment restart"),
        ("platform.system()", "environment deploy"),
        ("os.environ.get('SHELL')", "config deploy"),
        ("os.environ['SHELL']", "config deploy"),
        ("process.env.REGION", "config deploy"),
        ("states('sensor.temperature')", "environment request"),
        ("states.sensor.door.state", "environment request"),
        ("states['sensor.door'].state", "environment request"),
        ("states['cover.garage']", "environment request"),
        ("states | selectattr('domain', 'eq', 'light') | list", "environment request"),
        ("states | selectattr('attributes.battery', 'defined')", "environment request"),
        ("states | groupby('domain')", "environment request"),
        ("states", ""),
        ("states | list", ""),
        ("states['CA']", ""),
        ("states[0].name", ""),
        ("states | selectattr('population', 'gt', 5)", ""),
        ("rows | selectattr('domain', 'eq', 'light')", ""),
        ("order.states['sensor.door']", ""),
        ("db.exec('git status')", ""),
        # Retrieval.
        ("memory.search(query=query, user_id=user_id)", "retrieval turn"),
        ("self.memory.search(query)", "retrieval turn"),
        ("store.similarity_search(question)", "retrieval turn"),
        ("vectorStore.similaritySearch(question)", "retrieval turn"),
        ("retriever.invoke(question)[0].page_content", "retrieval turn"),
        ("similarity_search(q)", "retrieval turn"),
        ("search(table)", ""),
        ("search('opening hours')", ""),
        ("lookup('env', 'HOME')", ""),
        ("re.search(pattern)", ""),
        ("search_language(x)", ""),
        # What a set is asked.
        ("set(tags)", "order restart"),
        ("(tags | set) | join", "order restart"),
        ("list(frozenset(tags))[0]", "order restart"),
        ("set(tags) - set(hidden)", "order restart, order restart"),
        ("set()", ""),
        ("set('tone', 'dry')", ""),
        ("set('tone', value='dry')", ""),
        ("len(set(tags))", ""),
        ("len(list(set(tags)))", ""),
        ("max(set(years)) - min(set(years))", ""),
        ("(years | set) | sum", ""),
        ("sorted(set(tags) - set(hidden))", ""),
        ("sorted(set(tags), key=len)", ""),
        ("(tags | set) | sort | join", ""),
        # Constants of Jinja.
        ("range(3)", ""),
        ("namespace(found=False)", ""),
        ("dict(at=now())", "clock request"),
        ("loop.index", ""),
        ("lipsum()", "choice request"),
    ],
)
def test_calls(read: Read, text: str, expected: str) -> None:
    lifetime = lifetime_of(*read(text))
    assert said(lifetime) == expected
    assert {cause.evidence for cause in lifetime.causes} <= {Evidence.CALL}


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("now()", HIGH),
        ("str(now())", HIGH),
        ("now().strftime('%H:%M')", HIGH),
        ("now().strftime(fmt)", MEDIUM),
        ("strftime_now(fmt)", MEDIUM),
        ("pretty(now())", MEDIUM),
        ("now().humanize()", MEDIUM),
        ("now() | pretty", MEDIUM),
        ("Date().toLocaleString('en', options)", MEDIUM),
        ("date.today().strftime(fmt)", HIGH),
        ("now() | string | upper | trim", HIGH),
        ("uuid4()", HIGH),
        ("pretty(uuid4())", HIGH),
    ],
)
def test_a_format_that_cannot_be_seen_lowers_confidence(read: Read, text: str, confidence: Confidence) -> None:
    [cause] = lifetime_of(*read(text)).causes
    assert cause.confidence is confidence
    assert cause.evidence is Evidence.CALL


@pytest.mark.parametrize(
    ("text", "known"),
    [("'a'", True), ("['a', 1]", True), ("'a'.upper()", True), ("t('hello')", False), ("x", False), ("x.y[z]", False)],
)
def test_constants_are_fixed_and_the_rest_is_unknown(read: Read, text: str, known: bool) -> None:
    assert lifetime_of(*read(text)) == (FIXED if known else UNKNOWN)


def test_a_text_of_several_values_has_all_their_causes(read: Read) -> None:
    lifetime = lifetime_of(*read("f'{date.today()} {session_id} {user_name} {what}'"))
    assert said(lifetime) == "clock day, session session, identity user"
    assert not lifetime.known


def test_one_value_twice_is_one_cause() -> None:
    source = Source("prompt.py", "now()")
    now = Call(Name("now", Span(0, 3)), (), (), Span(0, 5))
    first = Bound("first", now, source, AT)
    second = Bound("second", now, source, AT)
    assert len(lifetime_of(Join((first, second), AT), source).causes) == 1


def test_history_keeps_growing_unless_it_is_cut(read: Read) -> None:
    for text in ("messages", "chat_history", "state.messages", "messages | tojson", "messages[1:]", "messages[:-1]"):
        lifetime = lifetime_of(*read(text))
        assert (said(lifetime), lifetime.growing) == ("history session", True), text
    for text in ("messages[0].content", "messages[0]['content'][0]['text']"):
        lifetime = lifetime_of(*read(text))
        assert (said(lifetime), lifetime.growing) == ("config deploy", False), "the caller's system text"
    for text in (
        "messages | first",
        "messages[i].content",
        "range(len(messages))",
    ):
        lifetime = lifetime_of(*read(text))
        assert (said(lifetime), lifetime.growing) == ("history session", False), text
    for text in ("messages[-1].content", "messages[-10:]", "history.slice(-10)"):
        lifetime = lifetime_of(*read(text))
        assert (said(lifetime), lifetime.growing) == ("history turn", False), text


@pytest.mark.parametrize(
    "text",
    [
        "messages | length",
        "history | count",
        "len(messages)",
        "messages.length",
        "messages[1:] | length",
        "messages | selectattr('role', 'eq', 'user') | list | length",
    ],
)
def test_a_count_of_a_growing_history_moves_with_each_turn(read: Read, text: str) -> None:
    expression, source = read(text)
    lifetime = lifetime_of(expression, source)
    assert (said(lifetime), lifetime.growing) == ("counter turn", False)
    assert lifetime.causes[0].what == f"`{text}`"[:62]


@pytest.mark.parametrize(
    ("text", "expected"), [("tools | length", "tools deploy"), ("len(user_name)", "identity user"), ("len(x)", "")]
)
def test_a_count_of_anything_else_is_what_it_counts(read: Read, text: str, expected: str) -> None:
    assert said(lifetime_of(*read(text))) == expected


def test_the_length_of_one_message_does_not_move() -> None:
    source = Source("chat.jinja", "")
    message = Bound("message", Element(Name("messages", AT), AT), source, AT)
    length = Filter(Attribute(message, "content", AT), "length", (), AT)
    assert said(lifetime_of(length, source)) == "history session"


@pytest.mark.parametrize("text", ["search(query)", "retrieve(question)", "lookup(index, query)", "search(text=query)"])
def test_a_verb_that_is_given_the_question_retrieves(read: Read, text: str) -> None:
    [cause] = lifetime_of(*read(text)).causes
    assert (cause.kind, cause.evidence, cause.confidence) == ("retrieval", Evidence.NAME, MEDIUM)
    assert cause.what == f"`{text}`"


def test_other_calls_of_the_question_are_the_question(read: Read) -> None:
    for text in ("translate(question)", "re.search(query)"):
        assert said(lifetime_of(*read(text))) == "input turn"


JINJA = {
    "{{ now().timestamp() // 86400 }}": ("clock day", "now()"),
    "{{ (now().timestamp() // (24 * 3600)) % 28 }}": ("clock day", "now()"),
    "{{ (now().timestamp() / 86400) | int }}": ("clock day", "now()"),
    "{{ (now().timestamp() / 86400) | round | string }}": ("clock day", "now()"),
    "{{ now().timestamp() / 86400 }}": ("clock request", "now()"),
    "{{ (now().timestamp() / 60) | int }}": ("clock request", "now()"),
    "{{ now().timestamp() // size }}": ("clock request", "now()"),
    "{{ now().timestamp() * 1000 // 86400 }}": ("clock request", "now()"),
    "{{ messages[-1].content }}": ("history turn", "messages"),
    "{{ messages[1].content }}": ("history session", "messages"),
    "{{ tips | shuffle | first }}": ("choice request", "tips | shuffle"),
    "{{ tips|random|upper }}": ("choice request", "tips|random"),
    "{{ tips | sample(2) | join(', ') }}": ("choice request", "tips | sample(2)"),
    "{{ ['a', 'b'] | map('upper') | random | lower }}": ("choice request", "['a', 'b'] | map('upper') | random"),
    "{{ history | length | string }}": ("counter turn", "history | length"),
    "{{ question | trim | upper }}": ("input turn", "question"),
}


@pytest.mark.parametrize(("text", "expected"), JINJA.items())
def test_what_jinja_writes(text: str, expected: tuple[str, str]) -> None:
    [expression] = [piece.expression for piece in jinja.cut(text, 0, len(text)).pieces if piece.expression]
    lifetime = lifetime_of(expression, Source("prompt.j2", text))
    assert (said(lifetime), lifetime.causes[0].what) == (expected[0], f"`{expected[1]}`")


def test_defaults_add_what_stands_in_for_the_value(read: Read) -> None:
    assert said(lifetime_of(*read("greeting | default(now())"))) == "clock request"
    assert said(lifetime_of(*read("user_name | default('you')"))) == "identity user"
    assert said(lifetime_of(*read("ctx.get('user_name', 'you')"))) == "identity user"
    assert said(lifetime_of(*read("settings.get('tone')"))) == "config deploy"


def test_a_choice_has_the_causes_of_its_test(read: Read) -> None:
    assert said(lifetime_of(*read("'morning' if now().hour < 12 else 'evening'"))) == "clock day"
    few = lifetime_of(*read("'long' if user.is_admin == True else 'short'"))
    assert (said(few), few.few) == ("variant user", True)
    assert said(lifetime_of(*read("question if question else 'none'"))) == "input turn"


def test_a_printed_truth_value_has_few_contents(read: Read) -> None:
    lifetime = lifetime_of(*read("not user_name"))
    assert (said(lifetime), lifetime.few) == ("identity user", True)
    assert lifetime_of(*read("iteration > 3")).few


def test_the_cause_is_the_smallest_expression(read: Read) -> None:
    expression, source = read("prefix + str(datetime.now().strftime('%H:%M'))")
    [cause] = lifetime_of(expression, source).causes
    assert cause.what == "`datetime.now()`"
    assert cause.place is not None
    assert cause.place.text == "datetime.now()"


def test_what_is_one_short_line() -> None:
    text = "memory.search(\n  " + "query, " * 20 + ")"
    call = Call(Attribute(Name("memory", AT), "search", AT), (), (), Span(0, len(text)))
    [cause] = lifetime_of(call, Source("prompt.py", text)).causes
    assert cause.what.startswith("`memory.search( query, query")
    assert cause.what.endswith("…`")
    assert len(cause.what) <= 62


def test_every_binding_is_a_hop() -> None:
    inner, outer = Source("clock.py", "stamp = now()"), Source("prompt.py", "text = stamp")
    now = Call(Name("now", Span(8, 11)), (), (), Span(8, 13))
    stamp = Bound("stamp", now, inner, Span(0, 13))
    text = Bound("text", stamp, outer, Span(0, 12))
    [cause] = lifetime_of(text, outer).causes
    assert [(hop.note, hop.place.source.path) for hop in cause.hops] == [
        ("`text` is set here", "prompt.py"),
        ("`stamp` is set here", "clock.py"),
    ]
    assert cause.place == Place(inner, Span(8, 13))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("current_date", Literal("26 Jul 2024", AT), ""),
        ("current_time", Unknown((), AT), "clock request"),
        ("name", Attribute(Name("item", AT), "title", AT), ""),
        ("date", Attribute(Name("order", AT), "date", AT), ""),
        ("date", Call(Name("render", AT), (Name("order", AT),), (), AT), ""),
        ("current_time", Name("t", AT), ""),
        ("date", Name("release", AT), ""),
        ("date", Name("current_date", AT), "clock day"),
        ("date", Unknown((), AT), "clock day"),
        ("date", Call(Name("load", AT), (), (), AT), "clock day"),
        ("name", Name("n", AT), ""),
        ("label", Name("user_name", AT), "identity user"),
        ("step", Element(Name("steps", AT), AT), ""),
        ("doc", Element(Name("retrieved_docs", AT), AT), "retrieval turn"),
    ],
)
def test_a_value_says_more_than_the_name_it_is_bound_to(name: str, value: Expression, expected: str) -> None:
    source = Source("prompt.py", "")
    assert said(lifetime_of(Bound(name, value, source, AT), source)) == expected


@pytest.mark.parametrize(
    ("value", "attribute", "expected"),
    [
        (Name("ctx", AT), "chatId", "session session"),
        (Unknown((), AT), "messageId", "id request"),
        (Name("user", AT), "email", "identity user"),
        (Element(Name("documents", AT), AT), "title", "retrieval turn"),
        (Element(Name("messages", AT), AT), "content", "history session"),
        (Element(Name("rows", AT), AT), "date", ""),
        (Call(Name("load", AT), (Literal("user", AT),), (), AT), "colour", ""),
    ],
)
def test_attributes_of_bound_names(value: Expression, attribute: str, expected: str) -> None:
    source = Source("prompt.ts", "")
    bound = Bound("ctx", value, source, AT)
    assert said(lifetime_of(Attribute(bound, attribute, AT), source)) == expected


def test_a_part_of_a_visible_name_is_not_what_the_bound_name_says() -> None:
    source = Source("prompt.j2", "")
    for value, expected in {
        Name("opening", AT): "",
        Name("now", AT): "clock day",
        Unknown((), AT): "clock day",
    }.items():
        assert said(lifetime_of(Attribute(Bound("now", value, source, AT), "hour", AT), source)) == expected


def test_an_object_that_is_not_seen_is_what_its_name_says() -> None:
    source = Source("prompt.py", "")
    loaded = Bound("user", Call(Name("load", AT), (Name("key", AT),), (), AT), source, AT)
    assert said(lifetime_of(Attribute(loaded, "address", AT), source)) == "identity user"


def test_a_declaration_overrides_everything(read: Read) -> None:
    declared = {
        "current_time": Declared(frozenset()),
        "user": Declared(frozenset({Event.SESSION})),
        "greeting": Declared(frozenset({Event.REQUEST}), Place(Source("promptlint.toml", ""), AT)),
        "stamp": Declared(frozenset({Event.DAY})),
    }
    assert lifetime_of(*read("current_time"), declared) == FIXED
    assert lifetime_of(*read("current_time.strftime('%H:%M')"), declared) == FIXED
    assert lifetime_of(*read("current_time()"), declared) == FIXED
    assert said(lifetime_of(*read("user.email"), declared)) == "identity session"
    [cause] = lifetime_of(*read("greeting"), declared).causes
    assert (cause.evidence, cause.confidence) == (Evidence.DECLARATION, HIGH)
    assert [hop.note for hop in cause.hops] == ["declared here"]
    source = Source("prompt.py", "")
    now = Call(Name("now", AT), (), (), AT)
    assert said(lifetime_of(Bound("stamp", now, source, AT), source, declared)) == "clock day"
    assert lifetime_of(Bound("current_time", now, source, AT), source, declared) == FIXED


@pytest.mark.parametrize("macro", ["CURRENT_DATE", "isotime", "$now", "USER_NAME", "CURRENT_DATETIME", "idle_duration"])
def test_macros_are_spelled_exactly(macro: str) -> None:
    [cause] = lifetime_of(Name(macro, AT), Source("preset.json", "")).causes
    assert (cause.evidence, cause.confidence) == (Evidence.MACRO, HIGH)


def test_deep_expressions_are_unknown() -> None:
    deep: Expression = Name("now", AT)
    for _ in range(5_000):
        deep = Index(deep, Literal(0, AT), AT)
    assert lifetime_of(deep, Source("prompt.j2", "")) == UNKNOWN


def test_shared_values_are_read_once() -> None:
    source = Source("prompt.py", "")
    value: Expression = Call(Name("now", AT), (), (), AT)
    for number in range(60):
        value = Bound(f"x{number}", Join((value, value), AT), source, AT)
    assert said(lifetime_of(value, source)) == "clock request"


NAMES = st.sampled_from(
    ["now", "user", "messages", "question", "step", "datetime", "date", "strftime", "get", "split", "format"]
)
LEAVES = st.one_of(
    NAMES.map(lambda name: Name(name, AT)),
    st.sampled_from(["%H:%M", "{:%H} {}", "T", "name", 0, -1, None, True]).map(lambda value: Literal(value, AT)),
    st.just(Unknown((), AT)),
)


def _grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, max_size=3).map(tuple)
    bound = st.sampled_from([None, 0, -3, 10])
    return st.one_of(
        st.builds(Attribute, inner, NAMES, st.just(AT)),
        st.builds(Index, inner, inner, st.just(AT)),
        st.builds(Slice, inner, bound, bound, st.just(AT)),
        st.builds(Call, inner, several, st.just(()), st.just(AT)),
        st.builds(
            Filter,
            inner,
            st.sampled_from(["date", "first", "length", "random", "default", "floordiv"]),
            several,
            st.just(AT),
        ),
        st.builds(Format, inner, st.sampled_from(["%H", "", ">10", ".10"]), st.just(AT)),
        st.builds(Choice, st.none() | inner, several, st.just(AT)),
        st.builds(Bound, NAMES, inner, st.just(Source("prompt.py", "")), st.just(AT)),
        st.builds(Element, inner, st.just(AT)),
        *(st.builds(node, several, st.just(AT)) for node in (Join, Compare, Truth, Unknown)),
    )


@given(st.recursive(LEAVES, _grown, max_leaves=12))
def test_any_expression_has_a_lifetime(expression: Expression) -> None:
    source = Source("prompt.py", "")
    for lifetime in (lifetime_of(expression, source), Classifier().condition(expression, source)):
        for cause in lifetime.causes:
            assert cause.kind in KINDS
            assert cause.events
            assert "\n" not in cause.what
            assert cause.evidence is not Evidence.NAME or cause.confidence <= MEDIUM
