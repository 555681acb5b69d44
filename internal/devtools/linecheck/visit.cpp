// Visits every value of a stream of JSON lines with simdjson on demand: what a
// program in C++ takes that reads all of a stream and judges nothing.
#include <cstdio>
#include <simdjson.h>
using namespace simdjson;

static uint64_t seen, size;

static void visit(ondemand::value value) {
  seen++;
  switch (value.type()) {
  case ondemand::json_type::object:
    for (auto field : value.get_object()) {
      size += std::string_view(field.unescaped_key()).size();
      visit(field.value());
    }
    break;
  case ondemand::json_type::array:
    for (auto item : value.get_array()) visit(item.value());
    break;
  case ondemand::json_type::string:
    size += std::string_view(value.get_string()).size();
    break;
  case ondemand::json_type::number:
    size += uint64_t(double(value.get_double()));
    break;
  case ondemand::json_type::boolean:
    size += bool(value.get_bool());
    break;
  case ondemand::json_type::null:
    if (!value.is_null()) abort();
  }
}

int main(int, char **argv) {
  auto text = padded_string::load(argv[1]);
  ondemand::parser parser;
  ondemand::document_stream lines;
  if (text.error() || parser.iterate_many(text.value_unsafe(), 1 << 20).get(lines)) return 1;
  uint64_t n = 0;
  for (auto line : lines) {
    for (auto field : line.get_object()) {
      size += std::string_view(field.unescaped_key()).size();
      visit(field.value());
    }
    n++;
  }
  printf("%lu lines, %lu values, %lu\n", n, seen, size);
}
