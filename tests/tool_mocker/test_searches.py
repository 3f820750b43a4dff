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


SHOWS = [
    {"show_name": name, "day": f"d{day}", "city": city, "hall": f"Hall {name[0]}{day}"}
    | {field: f"{field} of {name}" for field in ("author", "language", "length", "genre", "cast", "year")}
    for city in ("Oslo", "Rome", "Bern")
    for name in ("Tosca", "Norma", "Faust", "Carmen", "Aida")
    for day in (1, 2, 3)
]


def listed(**asked: str) -> Call:
    """A recorded search that shows three shows at most, one of a name, by name."""
    hits = {show["show_name"]: show for show in SHOWS if asked.items() <= show.items()}
    return ("find_shows", asked, [hits[name] for name in sorted(hits)][:3])


BY_DAY = [[listed(city=city, day=f"d{day}")] for city in ("Oslo", "Rome", "Bern") for day in (1, 2, 3)]


def test_a_search_stops_where_the_recorded_ones_stop_and_keeps_their_order():
    tools = mocker(*BY_DAY, [listed(city="Oslo")])
    answer = tools.session().call("find_shows", {"city": "Rome"})
    assert [show["show_name"] for show in answer.result] == ["Aida", "Carmen", "Faust"]
    assert "the first 3 show" in tools.explain("find_shows").words()


def test_one_name_that_means_several_things_is_told_apart_by_what_a_search_can_ask():
    tools = mocker(*BY_DAY[1:], [listed(day="d2")], [listed(city="Bern")])
    answer = tools.session().call("find_shows", {"day": "d3"})
    assert [show["hall"] for show in answer.result] == ["Hall A3", "Hall C3", "Hall F3"]
    assert (answer.source, "" in answer.evidence) == ("query", False)
