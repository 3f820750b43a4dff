"""Searches: every record that holds what was asked for, listed as the recorded tool lists them."""

from tests.tool_mocker.builders import Call, mocker

PEOPLE = [
    {"person_id": f"P{n}", "name": f"{first} {last}", "city": city}
    for n, (first, last, city) in enumerate(
        [("Ann", "Bell", "Oslo"), ("Bea", "Bell", "Rome"), ("Cid", "Cole", "Oslo"), ("Dan", "Dow", "Bern")]
    )
]
LOOKED_AT: list[Call] = [("get_person", {"person_id": person["person_id"]}, person) for person in PEOPLE]


def found(**asked: str) -> Call:
    """A recorded search, as a directory that matches a city, or one word of a name, answers it."""
    hits = [
        person
        for person in PEOPLE
        if asked.get("city", person["city"]) == person["city"] and asked.get("name", "") in person["name"]
    ]
    return ("search_people", asked, {"matches": hits, "total": len(hits), **asked})


def test_a_search_nobody_made_lists_every_record_that_matches():
    tools = mocker(LOOKED_AT, [found(city="Oslo"), found(city="Rome"), found(city="Kiel")])
    answer = tools.session().call("search_people", {"city": "Bern"})
    assert answer.source == "query"
    assert answer.result == found(city="Bern")[2]


def test_one_word_of_a_field_is_enough_where_it_was_in_the_record():
    tools = mocker(LOOKED_AT, [found(name="Ann"), found(name="Cole"), found(name="Cid")])
    answer = tools.session().call("search_people", {"name": "bell"})
    assert [match["person_id"] for match in answer.result["matches"]] == ["P0", "P1"]
    assert "name has argument.name" in tools.explain("search_people").words()


def test_a_search_names_the_conversations_that_show_what_it_lists():
    tools = mocker(LOOKED_AT, [found(city="Oslo"), found(city="Rome"), found(city="Kiel")])
    assert tools.session().call("search_people", {"city": "Bern"}).evidence == ("t0",)


def test_a_search_that_finds_nothing_known_is_left_to_others():
    tools = mocker(LOOKED_AT, [found(city="Oslo"), found(city="Rome"), found(city="Oslo")])
    assert tools.session().call("search_people", {"city": "Paris"}).source != "query"
