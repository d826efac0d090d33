"""Values across functions: arguments, what is returned, methods and what objects hold, closures."""

from __future__ import annotations

import pytest

from tests.flow.conftest import Follow

HEAD = "import uuid\nfrom datetime import datetime\n"

SEND = """
    return client.chat.completions.create(
        messages=[{"role": "system", "content": system}, {"role": "user", "content": question}]
    )
"""


def test_what_a_function_returns(follow: Follow) -> None:
    text = f"""
def ‹stamp›():
    return datetime.now().isoformat()

def ask(client, question):
    system = f"You are a desk. It is «{{stamp()}}». {{rules}}"
{SEND}"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_what_a_function_is_given(follow: Follow) -> None:
    text = f"""
def intro(moment):
    return f"You are a desk. It is «{{moment}}». {{rules}}"

def ask(client, question):
    system = intro(‹datetime.now().isoformat()›)
{SEND}"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ("moment", "moment=‹datetime.now().isoformat()›"),
        ("*, moment", "moment=‹datetime.now().isoformat()›"),
        ("shop, moment='ten'", "'books', ‹datetime.now().isoformat()›"),
        ("‹moment›=datetime.now().isoformat()", ""),
        ("moment", "**{'moment': ‹datetime.now().isoformat()›}"),
        ("moment", "*[‹datetime.now().isoformat()›]"),
    ],
)
def test_ways_of_handing_over(follow: Follow, parameters: str, arguments: str) -> None:
    text = f"""
def intro({parameters}):
    return f"You are a desk. It is «{{moment}}». {{rules}}"

def ask(client, question):
    system = intro({arguments})
{SEND}"""
    rule = "clock-in-prefix" if arguments else "import-time-value"
    assert follow({"app.py": HEAD + text}) == [rule]


def test_five_hops(follow: Follow) -> None:
    text = f"""
def ‹read›():
    return datetime.now()

def ‹show›(moment):
    return moment.isoformat()

def ‹stamp›():
    ‹moment› = read()
    return show(‹moment›)

def intro(line):
    return f"You are a desk. It is «{{line}}». {{rules}}"

def ask(client, question):
    ‹line› = stamp()
    system = intro(‹line›)
{SEND}"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_callers_of_callers_decide_a_parameter(follow: Follow) -> None:
    text = f"""
def ask(client, question, moment):
    system = f"You are a desk. It is «{{moment}}». {{rules}}"
{SEND}
def serve(client, question, moment):
    return ask(client, question, ‹moment›)

def answer(client, question, moment):
    return serve(client, question, ‹moment›)

def main(client):
    answer(client, input(), ‹datetime.now().isoformat()›)
"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_each_of_several_callers_is_named(follow: Follow) -> None:
    text = f"""
def ask(client, question, ‹run›):
    system = f"You are a desk. Call «{{run}}». {{rules}}"
{SEND}
def one(client):
    ask(client, input(), ‹uuid.uuid4()›)

def two(client):
    ask(client, input(), ‹uuid.uuid4().hex›)

def three(client):
    ask(client, input(), "none")
"""
    assert follow({"app.py": HEAD + text}) == ["random-id-in-prefix"]


def test_a_parameter_that_all_callers_give_the_same_is_silent_whatever_its_name(follow: Follow) -> None:
    text = f"""
SHELF = "four"

def ask(client, question, session_id, timestamp, user_name):
    system = f"You are a desk. Shelf {{session_id}} {{timestamp}} {{user_name}}. {{rules}}"
{SEND}
def main(client):
    ask(client, input(), SHELF, "ten", user_name=SHELF)
"""
    assert follow({"app.py": HEAD + text}) == []


def test_a_name_with_a_constant_value_is_silent_whatever_its_name(follow: Follow) -> None:
    text = f"""
def ask(client, question):
    current_time = "ten in the morning"
    request_id = current_time
    system = f"You are a desk. It is {{current_time}} {{request_id}}. {{rules}}"
{SEND}"""
    assert follow({"app.py": HEAD + text}) == []


def test_what_an_object_is_made_with_is_the_session_s(follow: Follow) -> None:
    text = f"""
class Desk:
    def __init__(self):
        ‹self.run› = str(uuid.uuid4())

    def ask(self, client, question):
        system = f"You are a desk. Run «{{self.run}}». {{rules}}"
{SEND.replace("    ", "        ")}"""
    assert follow({"app.py": HEAD + text}) == ["random-id-in-prefix"]


def test_what_a_method_returns(follow: Follow) -> None:
    text = f"""
class Desk:
    def ‹_stamp›(self):
        return datetime.now().isoformat()

    def _intro(self, name):
        return f"You are {{name}}. It is «{{self._stamp()}}». {{rules}}"

    def ask(self, client, question):
        system = self._intro("a desk")
{SEND.replace("    ", "        ")}"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_what_a_property_gives(follow: Follow) -> None:
    text = f"""
class Desk:
    @property
    def ‹stamp›(self):
        return datetime.now().isoformat()

    def ask(self, client, question):
        system = f"You are a desk. It is «{{self.stamp}}». {{rules}}"
{SEND.replace("    ", "        ")}"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_what_a_method_of_a_parent_gives(follow: Follow) -> None:
    text = f"""
class Base:
    def ‹stamp›(self):
        return datetime.now().isoformat()

class Desk(Base):
    def ask(self, client, question):
        system = f"You are a desk. It is «{{self.stamp()}}». {{rules}}"
{SEND.replace("    ", "        ")}"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_what_a_method_sets_another_method_reads(follow: Follow) -> None:
    text = f"""
class Desk:
    def begin(self):
        ‹self.moment› = datetime.now().isoformat()

    def ask(self, client, question):
        self.begin()
        system = f"You are a desk. It is «{{self.moment}}». {{rules}}"
{SEND.replace("    ", "        ")}"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_what_an_object_is_made_with_by_its_maker_s_caller(follow: Follow) -> None:
    text = f"""
class Desk:
    def __init__(self, run):
        ‹self.run› = run

    def ask(self, client, question):
        system = f"You are a desk. Run «{{self.run}}». {{rules}}"
{SEND.replace("    ", "        ")}
def main(client):
    Desk(‹uuid.uuid4()›).ask(client, input())
"""
    assert follow({"app.py": HEAD + text}) == ["random-id-in-prefix"]


def test_a_closure_sees_the_names_around_it(follow: Follow) -> None:
    text = f"""
def desk(client):
    ‹run› = str(uuid.uuid4())
    def ask(question):
        system = f"You are a desk. Run «{{run}}». {{rules}}"
{SEND.replace("    ", "        ")}    return ask
"""
    assert follow({"app.py": HEAD + text}) == ["random-id-in-prefix"]


def test_a_cached_function_keeps_what_it_computed(follow: Follow) -> None:
    text = f"""
from functools import cache

@cache
def ‹run›():
    return str(uuid.uuid4())

def ask(client, question):
    system = f"You are a desk. Run «{{run()}}». {{rules}}"
{SEND}"""
    assert follow({"app.py": HEAD + text}) == ["random-id-in-prefix"]


def test_the_same_for_a_script(follow: Follow) -> None:
    text = """
const ‹stamp› = () => new Date().toISOString();

class Desk {
  constructor(private client: any, private shop: string) {}

  private intro(moment: string): string {
    return `You are a desk of ${this.shop}. It is «${moment}». {rules}`;
  }

  async ask(question: string) {
    return this.client.chat.completions.create({
      messages: [{ role: "system", content: this.intro(‹stamp()›) }, { role: "user", content: question }],
    });
  }
}

export const desk = (client) => new Desk(client, "books");
"""
    assert follow({"app.ts": text}) == ["clock-in-prefix"]


def test_destructured_parameters_of_a_script(follow: Follow) -> None:
    text = """
function intro({ ‹moment›, shop = "books" }: Intro) {
  return `You are a desk of ${shop}. It is «${moment}». {rules}`;
}

export function ask(client, question) {
  return client.chat.completions.create({
    messages: [
      { role: "system", content: intro({ moment: ‹new Date().toISOString()› }) },
      { role: "user", content: question },
    ],
  });
}
"""
    assert follow({"app.ts": text}) == ["clock-in-prefix"]


def test_one_request_made_of_parts_of_several_functions(follow: Follow) -> None:
    text = """
def tools():
    return [{"name": "find", "description": "Find a book by its title. {rules}", "input_schema": {"type": "object"}}]

def system():
    return f"You are a desk. {rules} It is «{datetime.now().isoformat()}»."

def history(chat, question):
    return [*chat, {"role": "user", "content": question}]

def ask(client, chat, question):
    return client.messages.create(
        model="m", max_tokens=100, tools=tools(), system=system(), messages=history(chat, question)
    )
"""
    assert follow({"app.py": HEAD + text}) == ["clock-in-prefix"]


def test_recursion_ends(follow: Follow) -> None:
    text = f"""
def intro(depth):
    return intro(depth - 1) + "And on. {{rules}}"

def even(number):
    return odd(number)

def odd(number):
    return even(number)

def ask(client, question):
    system = intro(4) + even(3) + "{{rules}}"
{SEND}"""
    assert follow({"app.py": HEAD + text}) == []
