"""What published packages taught: small programs of the same kind, with what is found in them and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.engine import Engine, Options

RULES = "Answer in one sentence, name the page that it rests on, and never guess what you do not know. " * 12


def found(folder: Path, files: dict[str, str]) -> list[str]:
    """Findings in files of these names and texts, as `name:line severity rule`, in the order of names and lines."""
    (folder / "promptlint.toml").touch()
    for name, text in files.items():
        (folder / name).write_text(text.replace("RULES", RULES), encoding="utf-8")
    outcome = Engine(Options()).check([folder])
    assert not outcome.broken
    lines = []
    for finding in outcome.run.findings:
        at = finding.place.source.position(finding.place.span.start)
        lines.append(f"{Path(finding.place.source.path).name}:{at.line} {finding.severity.label} {finding.rule}")
    return sorted(lines)


FALSE_ALARMS = {
    "calls in an answer, put into the form of another vendor": (
        "a.ts",
        """
export async function ask(client, messages) {
  const response = await client.messages.create({ model: 'claude-sonnet-5', max_tokens: 900, messages })
  return {
    choices: [{
      message: {
        role: 'assistant',
        tool_calls: response.content.filter((part) => part.type === 'tool_use').map((part) => ({
          id: part.id,
          type: 'function',
          function: { name: part.name, arguments: JSON.stringify(part.input) },
        })),
      },
    }],
  }
}
""",
    ),
    "what a command prints is not the time that it was asked with": (
        "a.py",
        """
import subprocess
from datetime import datetime, timedelta

def comments(number):
    since = (datetime.now() - timedelta(days=1)).isoformat()
    args = ["gh", "api", f"/pulls/{number}/comments?since={since}"]
    return json.loads(subprocess.run(args, capture_output=True, text=True).stdout)

def ask(client, number):
    lines = ["You answer reviews."]
    for comment in comments(number):
        lines.append(f"> {comment['body']}")
    lines.append("RULES")
    return client.chat.completions.create(messages=[{"role": "system", "content": "\\n".join(lines)}])
""",
    ),
    "what is found up to a time is none": (
        "a.py",
        """
from datetime import datetime

def ask(client, calendar, question):
    events = calendar.find_events(until=datetime.now())
    system = f"You plan days. These are set: {events} RULES"
    return client.chat.completions.create(messages=[{"role": "system", "content": system}])
""",
    ),
    "items that were sorted by their age": (
        "a.py",
        """
from datetime import datetime

def newest(files):
    now = datetime.now()
    scored = []
    for each in files:
        scored.append((each, 1 + (now - each.changed).days))
    scored.sort(key=lambda pair: pair[1])
    return [each for each, _ in scored[:3]]

def ask(client, files):
    lines = ["You read files."]
    for each in newest(files):
        lines.append(f"- {each.path}")
    lines.append("RULES")
    return client.chat.completions.create(messages=[{"role": "system", "content": "\\n".join(lines)}])
""",
    ),
    "tools of an object that was made with the question": (
        "a.py",
        """
def ask(client, query, settings, env_class):
    env = env_class(query, settings)
    start, tools = env.reset()
    system = {"role": "system", "content": "RULES"}
    return client.chat.completions.create(messages=[system, {"role": "user", "content": start}], tools=tools)
""",
    ),
    "a cut of a message's own text": (
        "a.py",
        """
def ask(client, messages):
    shown = [{"role": m["role"], "content": m["content"][-300:]} for m in messages]
    return client.chat.completions.create(messages=[{"role": "system", "content": "RULES"}, *shown])
""",
    ),
    "the end of a tool's long output": (
        "a.py",
        """
def ask(client, messages, result):
    tail = str(result)[-LONGEST_TAIL_CHARS:]
    shown = [*messages, {"role": "tool", "content": tail}]
    return client.chat.completions.create(messages=[{"role": "system", "content": "RULES"}, *shown])
""",
    ),
    "a JavaScript set keeps the order of its items": (
        "a.ts",
        """
export async function ask(client, names, question) {
  const tools = [...new Set(names)].map((name) => ({ type: 'function', function: { name } }))
  return client.chat.completions.create({
    messages: [{ role: 'system', content: 'RULES' }, { role: 'user', content: question }], tools })
}
""",
    ),
    "names in a set only pick tools": (
        "a.py",
        """
def choose(wanted, known):
    names = {each.name for each in wanted}
    if not names:
        return known, "auto"
    if len(names) == 1:
        return {key: tool for key, tool in known.items() if key in names}, next(iter(names))
    return {key: tool for key, tool in known.items() if key in names}, "required"

def ask(client, wanted, known, question):
    tools, choice = choose(wanted, known)
    chat = [{"role": "system", "content": "RULES"}, {"role": "user", "content": question}]
    return client.chat.completions.create(messages=chat, tools=list(tools.values()))
""",
    ),
    "a counter of retries": (
        "a.py",
        """
def ask(client, agent, question):
    for attempt in range(agent.retries + 1):
        if attempt == 0 and agent.session:
            session = agent.session
        else:
            session = load(agent)
        tools = agent.get_tools(session)
        chat = [{"role": "system", "content": "RULES"}, {"role": "user", "content": question}]
        client.chat.completions.create(messages=chat, tools=tools)
""",
    ),
    "appending to a list of responses is no call of a model": (
        "a.py",
        """
def ask(client, calls, question):
    lines = []
    for number, call in enumerate(calls):
        tool_calls_and_responses = [number]
        tool_calls_and_responses.append(call)
        lines.append(f"{number}. {call.name}")
    text = "Tools that were called so far:\\n" + "\\n".join(lines) + "RULES"
    chat = [{"role": "system", "content": text}, {"role": "user", "content": question}]
    return client.chat.completions.create(messages=chat)
""",
    ),
    "the history that a chat hands out": (
        "a.js",
        """
const CHECK = 'RULES';
export async function next(chat, client) {
  const history = await chat.getHistory(true);
  const contents = [...history, { role: 'user', parts: [{ text: CHECK }] }];
  return client.generateContent({ model: 'gemini-2.5-flash', contents });
}
""",
    ),
    "a key of the cache, which is no prompt": (
        "a.py",
        """
def prompt_cache_key_for_run(kind):
    return f"the key of all of the requests that one run of this kind sends: {uuid4()} {kind}"
""",
    ),
    "the question in the last place of a prompt that only its name tells": (
        "a.py",
        """
def rank_prompt(query, snippet):
    return f"RULES\\nQuery: {query}\\nSnippet: {snippet}\\nRelevant:"
""",
    ),
    "a picture behind the text in one arm, text alone in the other": (
        "a.py",
        """
class Step:
    def system_prompt(self):
        return self.with_picture(f"{self.goal}RULES")

    def with_picture(self, prompt):
        if self.shows:
            if isinstance(prompt, str):
                prompt = [{"type": "text", "text": prompt}]
            picture = load(self.screen)
            prompt.append({"type": "image_url", "image_url": picture})
        return prompt
""",
    ),
    "a record whose other field is a clock": (
        "a.py",
        """
from datetime import datetime

def ask(client, answers, question):
    results = [SearchResult(text=each, made_at=datetime.now()) for each in answers]
    notes = "\\n".join(each.text for each in results)
    chat = [{"role": "system", "content": f"Notes:\\n{notes}\\nRULES"}, {"role": "user", "content": question}]
    return client.chat.completions.create(messages=chat)
""",
    ),
    "what a file of the user's folder holds": (
        "a.ts",
        """
import * as fs from 'fs'
import * as os from 'os'
import * as path from 'path'

const FOLDER = path.join(os.homedir(), '.shelf')
export async function ask(client, question) {
  const plan = fs.readFileSync(path.join(FOLDER, 'plan.txt'), 'utf8')
  const text = `${plan}\\nRULES`
  return client.chat.completions.create({
    messages: [{ role: 'system', content: text }, { role: 'user', content: question }] })
}
""",
    ),
    "an option about the memory, which picks a tool": (
        "a.ts",
        """
export async function ask(client, settings, question) {
  const memory = settings.memory
  const tools = [readTool]
  if (memory.options.long > 3) {
    tools.push(searchTool)
  }
  return client.chat.completions.create({
    messages: [{ role: 'system', content: 'RULES' }, { role: 'user', content: question }], tools })
}
""",
    ),
    "messages that other callers hand over, beside tools": (
        "a.ts",
        """
class Host {
  send(client, given) {
    return client.chat.completions.create({ messages: given.messages, tools: given.tools })
  }
  ask(client, question, tools) {
    return this.send(client, { messages: [{ role: 'user', content: question }], tools })
  }
  sum(client, question) {
    return this.send(client, { messages: [{ role: 'user', content: `RULES ${question}` }] })
  }
}
""",
    ),
    "what a hook returns, which is told how many tokens were used": (
        "a.ts",
        """
export async function step(model, hook, given, usage) {
  const changed = await hook({ messages: given.messages, used: usage.inputTokens })
  const system = changed?.system ?? given.system
  return generateText({ model, system: `${system}\\nRULES`, messages: given.messages })
}
""",
    ),
    "double braces are what a template writes beside its fields": (
        "a.py",
        """
def ranking():
    return PromptTemplate.from_template('Answer as {{"page": 1}} or {{question}}. RULES {pages}')
""",
    ),
    "a date of which only month and year are written": (
        "a.js",
        """
export async function ask(client, question) {
  const now = new Date().toLocaleDateString('en', { month: 'long', year: 'numeric' })
  return client.chat.completions.create({
    messages: [{ role: 'system', content: `It is ${now}. RULES` }, { role: 'user', content: question }] })
}
""",
    ),
    "a list that a function makes anew is not its caller's": (
        "a.ts",
        """
function shortened(messages) {
  messages = messages.filter((each) => each.content)
  messages.push({ role: 'user', content: `It is ${new Date()}` })
  return messages
}
export async function ask(model) {
  const messages = [{ role: 'system', content: 'RULES' }]
  console.log(shortened(messages).length)
  return model.invoke([...messages, { role: 'user', content: 'RULES' }])
}
""",
    ),
    "keys and instructions of a memory": ("memory.j2", "<key>{{ memory.key }}</key>{{ memory.instructions }}\nRULES"),
}

FOUND = {
    "a clock among numbered lines, which is not in their numbers": (
        "a.py",
        """
from datetime import datetime

def ask(client, agent):
    rules = ["Be kind."]
    if agent.timed:
        rules.append(f"It is {datetime.now()}.")
    lines = ["You help."]
    for number, rule in enumerate(rules):
        lines.append(f"{number + 1}. "
                     f"{rule}")
    lines.append("RULES")
    return client.chat.completions.create(messages=[{"role": "system", "content": "\\n".join(lines)}])
""",
        "a.py:11 error clock-in-prefix",
    ),
    "a template that is not seen, filled from a record of many values": (
        "a.py",
        """
def ask(client, prompts, question, text, more):
    data = {"question": question, "text": text} | (more or {})
    system, message = (each.format(**data) for each in prompts)
    shown = [{"role": "user", "content": message}, {"role": "user", "content": "RULES"}]
    return client.chat.completions.create(messages=[{"role": "system", "content": system}, *shown])
""",
        "a.py:5 note user-input-in-prefix",
    ),
    "a clock beside the items of pairs": (
        "a.py",
        """
from datetime import datetime

def stamped(files):
    pairs = []
    for each in files:
        pairs.append((each, datetime.now()))
    return [f"{at}: {each}" for each, at in pairs]

def ask(client, files):
    lines = ["You read files.", *stamped(files), "RULES"]
    return client.chat.completions.create(messages=[{"role": "system", "content": "\\n".join(lines)}])
""",
        "a.py:8 error clock-in-prefix",
    ),
    "what is made of a time by a function whose name says so": (
        "a.py",
        """
from datetime import datetime

def ask(client, texts):
    system = f"{texts.get_greeting(datetime.now())} RULES"
    return client.chat.completions.create(messages=[{"role": "system", "content": system}])
""",
        "a.py:5 warning clock-in-prefix",
    ),
    "a window whose size is worked out": (
        "a.ts",
        """
export async function ask(client, messages, size) {
  const recent = messages.slice(-size * 2)
  return client.chat.completions.create({ messages: [{ role: 'system', content: 'RULES' }, ...recent] })
}
""",
        "a.ts:3 warning front-truncation",
    ),
    "a clock among the lines of a list, in a message with a role of its own": (
        "a.py",
        """
from datetime import datetime

def system_message(agent):
    lines = []
    if agent.timed:
        lines.append(f"It is {datetime.now()}.")
    text = "You help in a library.\\n"
    for line in lines:
        text += f"- {line}\\n"
    text += "RULES"
    return Message(role=agent.system_role, content=text)
""",
        "a.py:10 error clock-in-prefix",
    ),
    "a clock in a system text above a conversation, in a request that is wholly seen": (
        "a.py",
        """
from datetime import datetime

class Chat:
    def send(self, client, messages):
        return client.chat.completions.create(messages=messages)

    def chat(self, client, messages):
        out = [{"role": "system", "content": f"It is {datetime.now()}. Be brief."}]
        for each in messages:
            out.append({"role": each["role"], "content": each["content"]})
        return self.send(client, out)
""",
        "a.py:9 error clock-in-prefix",
    ),
    "messages that a builder is told one by one, and a hole in text that the object keeps": (
        "a.py",
        """
class Search:
    def __init__(self, text=None):
        self.text = text or "You search tables.\\n{data}\\nRULES"

    def ask(self, model, question):
        found = self.tables.similarity_search(question)
        chat = Messages().add_system_message(self.text.format(data=found)).add_user_message(question)
        return model.completion(messages=chat.build())
""",
        "a.py:4 error retrieval-in-prefix",
    ),
    "a template that is given a clock when it is made": (
        "a.ts",
        """
export const make = () => new PromptTemplate({
  template: 'It is {moment}. RULES {question}',
  inputVariables: ['question'],
  partialVariables: { moment: new Date().toISOString() },
})
""",
        "a.ts:3 warning clock-in-prefix",
    ),
    "arguments of a call, written again for a provider": (
        "a.py",
        """
import json

def to_openai_tool_calls(calls):
    # of the messages so far
    return [
        {"type": "function", "function": {"name": call.name, "arguments": json.dumps(call.args)}} for call in calls
    ]
""",
        "a.py:7 warning non-canonical-json",
    ),
    "further instructions beside instructions": (
        "a.ts",
        """
export function agent() {
  return { instructions: 'You help in a library.', additional_instructions: `It is ${new Date()}. RULES` }
}
""",
        "a.ts:3 error clock-in-prefix",
    ),
    "a function that a template's hole is filled with, as a bundler writes it": (
        "a.js",
        """
var __defProp = Object.defineProperty;
var __name = (target, value) => __defProp(target, "name", { value, configurable: true });
const ShelfSystemPrompt = new PromptTemplate({
  functions: {
    moment: /* @__PURE__ */ __name(function() {
      return new Date().toISOString();
    }, "moment")
  },
  template: `You are {{role}}.
{{#notes}}
{{.}}
{{/notes}}
It is {{moment}}.
RULES`
});
export const make = () => new Agent({ prompt: ShelfSystemPrompt });
""",
        "a.js:14 error clock-in-prefix",
    ),
    "a template that a function gives another text and a clock": (
        "a.js",
        """
import { BaseSystemPrompt } from './base.js'
export const DeskSystemPrompt = BaseSystemPrompt.fork((config) => {
  config.functions.moment = function() {
    const date = this.at ? new Date(this.at) : new Date()
    return new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium' }).format(date)
  }
  config.template = `It is {{moment}}.
{{#notes}}{{.}}{{/notes}}
RULES`
})
""",
        "a.js:8 error clock-in-prefix",
    ),
    "a question above instructions in a Jinja template of a builder": (
        "a.py",
        """
def ranking():
    return PromptBuilder(template=\"\"\"
Question: {{ question }}
RULES
RULES
{% for page in pages %}- {{ page.text }}
{% endfor %}\"\"\")
""",
        "a.py:4 warning user-input-in-prefix",
    ),
    "a window that a method adds to the list that it is handed": (
        "a.ts",
        """
class Desk {
  async ask(given) {
    const messages = []
    for (const each of given.written) {
      messages.push({ role: each.role, content: each.content })
    }
    if (given.remembers) {
      await this.remember({ messages, past: given.past, size: given.size })
    }
    const answer = await this.model.invoke(messages)
    return [{ role: 'assistant', content: answer }]
  }
  async remember({ messages, past, size }) {
    if (past.messages.length > 0) {
      messages.push(...past.messages.slice(-size * 2))
    }
  }
}
""",
        "a.ts:16 warning front-truncation",
    ),
    "a clock in a record of which others read one field": (
        "a.ts",
        """
export async function chat(run, name) {
  const config = {
    thread: name,
    instructions: 'RULES',
    additional_instructions: `It is ${new Date()}.`,
  }
  await run.send({ messages: [{ role: 'user', content: config.thread }] })
  return run.process(config)
}
""",
        "a.ts:6 warning clock-in-prefix",
    ),
    "arguments of a call in a part of a message that is there under a condition": (
        "a.js",
        """
class Chat {
  prepareInput(overrides) {
    const input = { ...this.parameters, ...overrides };
    return {
      messages: input.messages.flatMap((message) => message.parts.map((part) => ({
        role: "assistant",
        ...part.type === "text" && { content: part.text },
        ...part.type === "call" && {
          id: part.id,
          function: { name: part.name, arguments: JSON.stringify(part.input) }
        }
      })))
    };
  }
  async create(input) {
    return this.client.textChat(await this.prepareInput(input));
  }
}
""",
        "a.js:11 warning non-canonical-json",
    ),
}


@pytest.mark.parametrize(("name", "text"), FALSE_ALARMS.values(), ids=FALSE_ALARMS)
def test_nothing_is_said(tmp_path: Path, name: str, text: str) -> None:
    assert found(tmp_path, {name: text}) == []


@pytest.mark.parametrize(("name", "text", "expected"), FOUND.values(), ids=FOUND)
def test_it_is_found(tmp_path: Path, name: str, text: str, expected: str) -> None:
    assert found(tmp_path, {name: text}) == [expected]
