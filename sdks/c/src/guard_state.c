#include <stdlib.h>

#include "guard.h"
#include "messages.h"
#include "moment.h"

const char *guard_status_name(licensing_status status) {
  static const char *const names[] = {"unlicensed", "licensed", "grace", "offline"};
  return names[status];
}

void guard_state_free(guard_state *state) {
  reason_free(&state->reason);
  json_free(state->entitlements);
  json_free(state->license);
  free(state->essence);
}

/* The known details of the license. Signed values take precedence. */
static json *facts_of(const guard_findings *found) {
  const json *license = found->certified == NULL ? NULL : json_member(found->certified->data, "license");
  if (!json_is(license, JSON_OBJECT) && found->verdict != NULL) license = json_member(found->verdict->data, "license");
  if (!json_is(license, JSON_OBJECT)) return NULL;
  json *facts = json_new(JSON_OBJECT);
  json_add_copy(facts, "expires_at", json_member(license, "expires_at"));
  json_add_copy(facts, "maintenance_expires_at", json_member(license, "maintenance_expires_at"));
  json_add_copy(facts, "holder_name", json_at(license, "holder.name"));
  json_add_copy(facts, "max_activations", json_member(license, "max_activations"));
  return facts;
}

/* The end of the certificate. Without one, an answer counts for a while: a network may fail for a moment. -1: none. */
static int64_t until_of(const guard_findings *found, const licensing_answer *certified) {
  if (certified != NULL) return (int64_t)(licensing_answer_number(certified, "claims.exp", 0) * 1000);
  if (found->verdict == NULL || found->failure == NULL || found->certified != NULL || found->is_set_back) return -1;
  int64_t end_ms = found->received_at_ms + found->answer_life_ms;
  return found->now_ms < end_ms ? end_ms : -1;
}

static bool is_demanded(const guard_settings *settings, const char *code) {
  for (size_t i = 0; i < settings->entitlement_count; i++) {
    if (text_equal(settings->entitlements[i], code)) return true;
  }
  return false;
}

static bool has_access(const json *entitlement) { return json_is(json_member(entitlement, "has_access"), JSON_TRUE); }

/* Whether the last answer withholds an entitlement, such as a metered one at its limit. */
static bool is_withheld(const json *answered, const char *code) {
  for (const json *one = answered == NULL ? NULL : answered->first; one != NULL; one = one->next) {
    if (text_equal(json_member_text(one, "code"), code) && !has_access(one)) return true;
  }
  return false;
}

/*
 * The granted entitlements. A proof covers the demanded entitlements only, so with keys the others come from the
 * certificate.
 */
static json *grants_of(const guard_findings *found, const licensing_answer *certified) {
  const json *answered = found->verdict == NULL ? NULL : json_member(found->verdict->data, "entitlements");
  bool is_signed = found->settings->jwks != NULL;
  const json *list = is_signed && certified != NULL ? json_member(certified->data, "entitlements") : answered;
  json *granted = json_new(JSON_LIST);
  json **at = &granted->first;
  for (const json *one = json_is(list, JSON_LIST) ? list->first : NULL; one != NULL; one = one->next) {
    const char *code = json_member_text(one, "code");
    bool is_proven = !is_signed || certified != NULL || is_demanded(found->settings, code);
    if (!has_access(one) || !is_proven || (found->failure == NULL && is_withheld(answered, code))) continue;
    *at = json_copy(one);
    at = &(*at)->next;
  }
  return granted;
}

static char *essence_of(const guard_state *state) {
  text made = {0};
  text_add_format(&made, "%d ", (int)state->status);
  json_write_text(&made, state->reason.code);
  for (const json *one = state->entitlements->first; one != NULL; one = one->next) {
    json_write(&made, json_member(one, "code"));
    json_write(&made, json_member(one, "value"));
    json_write(&made, json_member(one, "limit"));
  }
  json_write(&made, state->license);
  return text_take(&made);
}

static void refuse(guard_state *state, const char *code, const char *detail) {
  state->status = LICENSING_UNLICENSED;
  state->reason = reason_of(code, detail);
  state->until_ms = -1;
  json_free(state->entitlements);
  state->entitlements = json_new(JSON_LIST);
}

static void allow(guard_state *state, licensing_status status, const char *code, const char *detail) {
  state->status = status;
  state->reason = reason_of(code, detail);
}

/* Decides about a state without a refusal of the service. */
static void decide(guard_state *state, const guard_findings *found) {
  const char *code = found->failure == NULL ? "GUARD.NOT_STARTED" : found->failure->code;
  const char *detail = found->failure == NULL ? "The guard has not started. Start it." : found->failure->detail;
  if (found->verdict != NULL && found->failure == NULL) {
    bool is_warned = found->warning->code != NULL;
    code = is_warned ? found->warning->code : licensing_answer_text(found->verdict, "code");
    detail = is_warned ? found->warning->detail : licensing_answer_text(found->verdict, "detail");
    allow(state, text_equal(code, "LICENSE.VALID") ? LICENSING_LICENSED : LICENSING_GRACE, code, detail);
  } else if (state->until_ms >= 0) {
    allow(state, LICENSING_OFFLINE, code, detail);
  } else if (found->is_set_back && found->certified != NULL) {
    refuse(state, "CLOCK.SET_BACK", "The clock of this machine was set back. Correct it, or connect to the service.");
  } else if (found->certified != NULL) {
    refuse(state, licensing_answer_text(found->certified, "code"), licensing_answer_text(found->certified, "detail"));
  } else {
    refuse(state, code, detail);
  }
}

guard_state guard_judge(const guard_findings *found) {
  bool is_usable = found->certified != NULL && !found->is_set_back && licensing_answer_flag(found->certified, "valid");
  const licensing_answer *certified = is_usable ? found->certified : NULL;
  guard_state state = {.checked_at_ms = found->verdict == NULL ? -1 : found->received_at_ms, .license = facts_of(found)};
  if (found->denial != NULL && found->denial->code != NULL) {
    refuse(&state, found->denial->code, found->denial->detail);
  } else {
    state.until_ms = until_of(found, certified);
    state.entitlements = grants_of(found, certified);
    decide(&state, found);
  }
  state.essence = essence_of(&state);
  return state;
}

static void add_moment(json *to, const char *name, int64_t ms) {
  if (ms < 0) json_add_text(to, name, NULL);
  else json_add_number(to, name, ms);
}

licensing_answer *guard_state_answer(const guard_state *state, const char *language) {
  json *data = json_new(JSON_OBJECT);
  json_add_text(data, "status", guard_status_name(state->status));
  json_add_text(data, "reason", state->reason.code);
  json_add_text(data, "detail", state->reason.detail);
  json_add_text(data, "message", message_for(state->reason.code, language));
  add_moment(data, "until_ms", state->until_ms);
  add_moment(data, "checked_at_ms", state->checked_at_ms);
  json_add_copy(data, "entitlements", state->entitlements);
  json_add_copy(data, "license", state->license);
  return answer_of(data);
}

licensing_answer *guard_missing(void) {
  return answer_invalid("There is no guard. The error of licensing_guard_new says why.");
}

bool guard_state_grants(const guard_state *state, const char *code, int64_t now_ms) {
  /* A machine that slept may reach this line before the timer. */
  if (state->status == LICENSING_OFFLINE && state->until_ms >= 0 && now_ms >= state->until_ms) return false;
  for (const json *one = state->entitlements->first; one != NULL; one = one->next) {
    if (!text_equal(json_member_text(one, "code"), code)) continue;
    const json *end = json_member(one, "expires_at");
    int64_t end_ms;
    return json_is_none(end) || (moment_parse(json_text(end), &end_ms) && end_ms > now_ms);
  }
  return false;
}
