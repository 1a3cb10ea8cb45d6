#include "moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define DAY_MS INT64_C(86400000)

/* Returns the days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t days_of(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t year_of_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29 : days[month - 1];
}

/* Reads a fixed number of digits. */
static bool read_number(const char **at, int digits, int *number) {
  *number = 0;
  for (int i = 0; i < digits; i++, (*at)++) {
    if (**at < '0' || **at > '9') return false;
    *number = *number * 10 + (**at - '0');
  }
  return true;
}

static bool read_one(const char **at, const char *choices) {
  if (**at == '\0' || strchr(choices, **at) == NULL) return false;
  (*at)++;
  return true;
}

/* Reads .123456 in milliseconds; the rest of the digits does not count. */
static bool read_fraction(const char **at, int *ms) {
  *ms = 0;
  if (**at != '.') return true;
  (*at)++;
  int scale = 100;
  if (**at < '0' || **at > '9') return false;
  for (; **at >= '0' && **at <= '9'; (*at)++, scale /= 10) *ms += (**at - '0') * scale;
  return true;
}

static bool read_zone(const char **at, int *minutes) {
  *minutes = 0;
  if (read_one(at, "Zz")) return true;
  bool is_behind = **at == '-';
  int hours, rest;
  if (!read_one(at, "+-") || !read_number(at, 2, &hours) || !read_one(at, ":") || !read_number(at, 2, &rest)) return false;
  *minutes = (hours * 60 + rest) * (is_behind ? -1 : 1);
  return hours < 24 && rest < 60;
}

bool moment_parse(const char *given, int64_t *ms) {
  int year, month, day, hour, minute, second, fraction, zone;
  const char *at = given;
  if (at == NULL) return false;
  bool is_form = read_number(&at, 4, &year) && read_one(&at, "-") && read_number(&at, 2, &month) && read_one(&at, "-") &&
                 read_number(&at, 2, &day) && read_one(&at, "Tt ") && read_number(&at, 2, &hour) && read_one(&at, ":") &&
                 read_number(&at, 2, &minute) && read_one(&at, ":") && read_number(&at, 2, &second) &&
                 read_fraction(&at, &fraction) && read_zone(&at, &zone) && *at == '\0';
  if (!is_form || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return false;
  if (hour > 23 || minute > 59 || second > 60) return false;
  int64_t seconds = ((int64_t)hour * 60 + minute - zone) * 60 + second;
  *ms = days_of(year, month, day) * DAY_MS + seconds * 1000 + fraction;
  return true;
}

bool moment_parse_http(const char *given, int64_t *ms) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  int day, year, hour, minute, second;
  const char *at = given == NULL ? NULL : strstr(given, ", ");
  if (at == NULL) return false;
  at += 2;
  if (!read_number(&at, 2, &day) || !read_one(&at, " ") || strlen(at) < 4) return false;
  int month = 0;
  while (month < 12 && strncmp(months + (ptrdiff_t)month * 3, at, 3) != 0) month++;
  at += 3;
  bool is_form = month < 12 && read_one(&at, " ") && read_number(&at, 4, &year) && read_one(&at, " ") &&
                 read_number(&at, 2, &hour) && read_one(&at, ":") && read_number(&at, 2, &minute) && read_one(&at, ":") &&
                 read_number(&at, 2, &second) && strcmp(at, " GMT") == 0;
  if (!is_form || day < 1 || day > 31) return false;
  *ms = days_of(year, month + 1, day) * DAY_MS + (((int64_t)hour * 60 + minute) * 60 + second) * 1000;
  return true;
}

char *moment_format(int64_t ms) {
  int64_t days = ms / DAY_MS - (ms % DAY_MS < 0);
  int rest = (int)(ms - days * DAY_MS);
  int64_t shifted = days + 719468;
  int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  int64_t day_of_era = shifted - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int shifted_month = (int)((5 * day_of_year + 2) / 153);
  int day = (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  int month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  int year = (int)(year_of_era + era * 400 + (month <= 2));
  return text_format("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year, month, day, rest / 3600000, rest / 60000 % 60,
                     rest / 1000 % 60, rest % 1000);
}
