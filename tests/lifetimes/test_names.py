from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from promptlint.events import Confidence, Evidence
from promptlint.expression import Attribute, Element, Expression, Name
from promptlint.lifetimes.classify import lifetime_of
from promptlint.lifetimes.names import snake
from promptlint.source import Source, Span

Read = Callable[[str], tuple[Expression, Source]]
AT = Span(0, 0)
LOW, MEDIUM, _ = Confidence


def _items(texts: str) -> list[str]:
    """Expressions between blanks; a blank inside quotes does not part them."""
    return re.findall(r"(?:'[^']*'|\S)+", texts)


MEANINGS = {
    "clock request": """
        now time current_time currentTime CURRENT_TIME_STR datetime current_datetime current_date_time timestamp
        current_timestamp ctx.current_time state.now runtime.current_time time.now inputs.timestamp now_utc
        current_time_iso currentDateTimeISO agent.current_time_iso time_str time_string timestamp_iso now_str
        datetime_utc user_local_time local_datetime
    """,
    "clock day": """
        date today current_date currentDate todays_date date_string ctx.date data.today inputs.current_date
        agent.current_date time.Date current_weekday day_of_week today.isoformat() current_date.strftime('%H')
        now.hour current_time[:10] current_hour now.strftime('%Y-%m-%d') timestamp.split('T')[0]
        get_current_date() self.get_current_date()
    """,
    "clock deploy": "year current_year month now.year current_date.year today.strftime('%Y')",
    "id request": """
        request_id requestId message_id messageId ctx.messageId ctx.replyToId trace_id run_id nonce uuid
        message.id request.id req.request_id tool_call_id generate_request_id()
    """,
    "identity user": """
        user_name username userName user_full_name first_name firstName user_email user.name user.email user.profile
        customer.orders customer.firstName customer.orders[0].title customer.membership user_id user.id
        session.user.email ctx.user.name self.user.address order.customer.age get_user_name(key) user_profile.bio
        user['name'] user.preferences.colour guest_name client_name clientName candidate_name patient_name
        employee_name caller_id auth.email auth.uid
    """,
    "tenant tenant": "tenant_id company_name org_id organization.name tenant.settings workspace_name",
    "session session": """
        session_id sessionId conversation_id chat_id ctx.chatId thread_id channel_id session.id user.session_id
        agent.thread_id self.session_id session.started session_token
    """,
    "counter request": """
        step step_number current_step iteration iteration_count turn_count attempt budget_left budget.left
        budget.remaining usage.total_tokens tokens_used remaining_steps steps_left current_cycle_count state.step
        self.step total_tokens stats.turns agent.step
    """,
    "environment user": "cwd working_directory workingDir project_root ctx.cwd self.cwd",
    "environment request": """
        git_status file_tree open_files openTabs git_branch get_git_status() workspace.open_files editor.open_tabs
        open_file.path
    """,
    "environment restart": "hostname pid worker_id",
    "environment deploy": "os platform shell model_name ctx.model",
    "retrieval turn": """
        retrieved_docs retrieved_docs[0].title retrieved_chunks search_results documents memories rag_context
        relevant_memories documents[0]['text'] memory.facts retrieved_docs.items
    """,
    "input turn": """
        question query user_input userInput user_message user_query email_body customer_message ticket_text transcript
        document_text inputs.question form.query question.text query.strip() last_user_message question.split(' ')[0]
        submission student_answer essay essay.text email.body
    """,
    "choice request": "random_number random_tip random_persona randomFact",
    "history session": """
        messages chat_history history conversation_history state.messages thread.messages agent.chat_history
        agent_scratchpad messages.items()
    """,
    "history turn": "recent_messages conversation_summary",
    "tools deploy": "tools functions tool_schemas available_tools tools[0].name self.tools agent.tools",
    "config deploy": """
        settings persona instructions system_prompt max_steps budget.max_steps config.name date_format
        session_instructions settings.tone max_tokens agent_name timezone time_zone output_schema
        random_seed random_state max_total_tokens session_token_limit essay_instructions random_tips_limit
        retrieved_limit
    """,
    "variant user": """
        locale language tone is_admin user.is_admin user.plan user.locale customer.tier user.timezone has_tools
        user.has_subscription user.role user['language'] current_user.plan
    """,
}

DOUBTFUL = {
    "email": "input",
    "ctx.email": "input",
    "n_steps": "counter",
    "user": "identity",
    "context": "retrieval",
    "memory": "retrieval",
    "document": "retrieval",
    "task": "input",
    "input": "input",
    "text": "input",
    "topic": "input",
    "code": "input",
    "message": "input",
    "company": "tenant",
    "channel": "session",
    "ctx.channel": "session",
    "turn": "counter",
}

SILENT = """
    order.date article.timestamp item.created_at item.date message.timestamp event.time self.date self.time this.date
    name inputs.name
    this.timestamp this.name self.name self.title item.name area.name post.published file.modified_at row.now
    datetime.strptime('x','%H') time.sleep(1) date.fromisoformat('2024-01-01') date.foo datetime.timezone
    step.description step.name steps task.name plan goal goals title content prompt data description state status
    location env id key value item style theme subject answer response response.text output result results
    user_role_description query_language order.id product.id model.id.value created_at updated_at deadline due_date
    start_date end_date birthday release_date last_updated generated_at date_range timeout time_limit_text
    response_time time_of_event dates times today_special message_format_hint identity username_rule
    session_length_hint question_type questions_asked_before_hint query_type input_type documents_path
    retrieved tool_call_style history_of_rome memory_size cwd_note hostname_rule random randomness seed
    foo() build() render('now') get_name() client.name agent.name article.author
    retrieved_at retrieved_count retrieval_date num_retrieved recalled_at retrievedOn email_provider item.email
    self.email order.time_str time_stringify event_time_str timestamp_isolation now_string_rule local_datetime_hint
    order.total_tokens total_tokens_rule wizard.step agent.step_size stats.turns_rule steps num_steps agent.tokens
    guest.room guest_names_rule candidate caller auth.type auth.url client_names_rule session_tokenizer
    editor.theme open_file open_file_rule submissions submission_date essay_topic student_answers_rule
    random_forest random_order random_mode randomized tip
    x y z a.b a.b.c rows[0].date documents_count_hint pages
"""


@pytest.mark.parametrize(
    ("text", "meaning"), [(text, meaning) for meaning, texts in MEANINGS.items() for text in _items(texts)]
)
def test_names_that_say_what_they_are(read: Read, text: str, meaning: str) -> None:
    [cause] = lifetime_of(*read(text)).causes
    assert " ".join([cause.kind, *sorted(cause.events)]) == meaning
    assert (cause.evidence, cause.confidence) == (Evidence.NAME, MEDIUM)


@pytest.mark.parametrize(("text", "kind"), DOUBTFUL.items())
def test_doubtful_names_are_low(read: Read, text: str, kind: str) -> None:
    [cause] = lifetime_of(*read(text)).causes
    assert (cause.kind, cause.confidence) == (kind, LOW)


@pytest.mark.parametrize("text", _items(SILENT))
def test_names_that_say_nothing(read: Read, text: str) -> None:
    assert [cause for cause in lifetime_of(*read(text)).causes if cause.kind != "config"] == []


@pytest.mark.parametrize("text", ["language", "is_admin", "user.plan", "has_tools"])
def test_flags_and_languages_have_few_contents(read: Read, text: str) -> None:
    assert lifetime_of(*read(text)).few


def test_filters_keep_what_a_name_says(read: Read) -> None:
    for text, kind in {
        "tools | tojson": "tools",
        "question | trim | upper": "input",
        "user_name | title": "identity",
    }.items():
        [cause] = lifetime_of(*read(text)).causes
        assert (cause.kind, cause.confidence) == (kind, MEDIUM)


def test_items_of_a_loop_are_what_the_whole_is() -> None:
    source = Source("prompt.j2", "")
    for whole, kind in {"retrieved_docs": "retrieval", "tools": "tools", "messages": "history"}.items():
        item = Attribute(Element(Name(whole, AT), AT), "name", AT)
        [cause] = lifetime_of(item, source).causes
        assert cause.kind == kind
    assert lifetime_of(Attribute(Element(Name("rows", AT), AT), "user_name", AT), source).causes == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chatId", "chat_id"),
        ("userID", "user_id"),
        ("CURRENT_DATE", "current_date"),
        ("current-date", "current_date"),
        ("$now", "now"),
        ("@state", "state"),
        ("HTMLText", "html_text"),
        ("_private", "private"),
        ("dateTime", "date_time"),
        ("naïveName", "naïve_name"),
    ],
)
def test_snake(name: str, words: str) -> None:
    assert snake(name) == words


@pytest.mark.parametrize("name", ["a.py", "a.ts", "a.tsx", "A.TSX", "a.mts", "a.cts", "a.mjs", "a.cjs"])
def test_a_class_of_a_program_is_no_value(name: str) -> None:
    source = Source(name, "SessionId")
    assert not lifetime_of(Name("SessionId", Span(0, 9)), source).causes
    assert lifetime_of(Name("SessionId", Span(0, 9)), Source("a.j2", "SessionId")).causes
