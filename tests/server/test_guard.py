"""Who is let in: by token, by the name the server is asked under, by the page that asks."""

import pytest

from agent_gym.errors import OptionError
from agent_gym.server.front import Address
from agent_gym.server.guard import Guard
from tests.server.asking import DENIAL, app_of, asked, let_in

INNER = app_of(let_in)
IN = [{"type": "let in"}]
HERE = ("host", "localhost:8000")


@pytest.mark.parametrize("given", [[], ["Bearer wrong"], ["secret"], ["Bearer secret"] * 2])
def test_who_does_not_know_the_token_is_told_so_and_nothing_else(given):
    headers = [HERE, *(("authorization", value) for value in given)]
    assert asked(Guard(INNER, "secret"), headers=headers)[0]["status"] == 401
    assert asked(Guard(INNER, "secret"), "websocket", headers=headers) == [{"type": "websocket.close", "code": 1008}]
    (start, _) = asked(Guard(INNER, "secret"), "websocket", headers=headers, extensions=DENIAL)
    assert start["type"] == "websocket.http.response.start" and start["status"] == 401


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_who_knows_the_token_is_let_in_under_any_name(kind):
    headers = [("host", "gym.example.org"), ("Authorization", "Bearer secret")]
    assert asked(Guard(INNER, "secret"), kind, headers=headers) == IN


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:1"])
def test_without_a_token_the_machine_goes_by_its_own_names(host):
    assert asked(Guard(INNER), headers=[("host", host)]) == IN


@pytest.mark.parametrize("hosts", [[], ["evil.example"], ["192.168.0.7"], ["localhost", "localhost"], ["[::1"]])
def test_a_name_that_only_leads_here_is_not_one_of_them(hosts):
    headers = [("host", host) for host in hosts]
    assert asked(Guard(INNER), headers=headers)[0]["status"] == 403
    assert asked(Guard(INNER), "websocket", headers=headers)[0]["type"] == "websocket.close"


def test_another_machine_is_not_answered_under_this_ones_name():
    assert asked(Guard(INNER), headers=[HERE], client=("192.168.0.7", 4000))[0]["status"] == 403
    assert asked(Guard(INNER), headers=[HERE], client=("::1", 4000)) == IN


def test_a_server_open_to_others_goes_by_its_addresses_and_the_names_it_was_given():
    open_to_all = Guard(INNER, None, Address("0.0.0.0", names=("Gym.lan",), unsafe=True).hosts)
    for host in ("192.168.0.7:8000", "gym.lan:8000", "localhost:8000"):
        assert asked(open_to_all, headers=[("host", host)]) == IN
    assert asked(open_to_all, headers=[("host", "evil.example:8000")])[0]["status"] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999", ""])
def test_a_web_page_of_another_origin_is_kept_out_even_with_the_token(origin):
    headers = [HERE, ("origin", origin), ("authorization", "Bearer secret")]
    for kind in ("http", "websocket"):
        assert asked(Guard(INNER, "secret"), kind, headers=headers) != IN
    assert asked(Guard(INNER, "secret"), headers=[HERE, ("origin", "http://localhost:8000"), headers[2]]) == IN


def test_beyond_this_machine_a_token_is_needed_or_a_word_that_it_is_unsafe():
    with pytest.raises(OptionError, match="--token"):
        Address("0.0.0.0")
    assert Address("0.0.0.0", token="secret").token and Address("0.0.0.0", unsafe=True).unsafe
