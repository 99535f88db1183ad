#include "cli/fuzz.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/campaign/campaign.h"
#include "cli/campaign/duration.h"
#include "cli/campaign/report.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"

namespace lockstep::cli {
namespace {

std::string check_duration(const std::string& text) {
  return campaign::parse_duration(text)
             ? std::string()
             : fmt::format("`{}` is no time; say 45s, 10m, 2h, 1h30m, or seconds", text);
}

int fuzz(campaign::Options options) {
  campaign::complete(options);
  campaign::Summary summary;
  {
    campaign::Campaign campaign(options);
    summary = campaign.run();
  }
  std::FILE* const words = options.json ? stderr : stdout;
  fmt::print(words, "{}", report_in_words(summary, Style(words)));
  if (options.json) fmt::print("{}\n", campaign::to_json(summary).dump(2));
  return summary.exit_code();
}

}  // namespace

void add_fuzz(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("fuzz", "A campaign: every target under every engine, findings filed, a report");
  const auto options = std::make_shared<campaign::Options>();
  const auto time = std::make_shared<std::string>("60s");
  command->add_option("TARGET", options->targets, "Targets; all without any");
  command->add_option("--for", *time, "Time per target and engine: 45s, 10m, 2h, or seconds")
      ->type_name("TIME")
      ->check(check_duration)
      ->capture_default_str();
  command->add_option("--engine", options->engines, "Engines: libfuzzer, afl")
      ->type_name("NAMES")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "How many at once; one per core without")
      ->type_name("N")
      ->check(CLI::Range(1U, 4096U));
  command
      ->add_option("--state", options->state, "The campaign's folder, resumed if it exists [build/campaign]")
      ->type_name("DIR");
  command->add_option("--seed", options->seed, "Seed of the engines; drawn, and reported, without")
      ->type_name("N");
  command->add_flag("--until-finding", options->until_finding,
                    "Each task ends with its first finding, whatever others or earlier sessions have found");
  command->add_flag("--empty-corpus", options->empty_corpus, "Start from one byte of zero, without corpora/");
  command
      ->add_option(
          "--without", options->without,
          "Parts to leave out, to see what they are good for: cells (they are still counted), steering "
          "(nothing is solved for), mutator (engines mutate bytes by themselves)")
      ->type_name("NAMES")
      ->delimiter(',');
  command->add_option("--builds", options->builds, "Folder of the fuzz builds [build/]")->type_name("DIR");
  command->add_option("--libfuzzer-build", options->libfuzzer_build, "The libFuzzer build [build/libfuzzer]")
      ->type_name("DIR");
  command->add_option("--afl-build", options->afl_build, "The AFL++ build [build/afl]")->type_name("DIR");
  command->add_flag("--json", options->json, "The report, machine-readable, to stdout");
  command->footer(
      "Examples:\n"
      "  lockstep fuzz\n"
      "  lockstep fuzz aes_gcm --for 10m --jobs 2\n"
      "  lockstep fuzz --engine libfuzzer --for 1h --state nightly --json > report.json\n"
      "  lockstep fuzz aes_gcm --until-finding --empty-corpus --seed 1 --state /tmp/planted --builds "
      "../planted/build\n"
      "Ctrl-C stops within a second and still reports; the same command goes on where it stopped.\n"
      "Exit codes: 0 clean, 1 participants disagree, 2 memory or sanitizer fault, 3 time-out or out of "
      "memory,\n"
      "            4 nothing was compared, or a pair or a wrap lane never was (from 30 s on), 5 usage, or "
      "an\n"
      "            engine that does not start.");
  command->callback([options, time, &exit_code] {
    options->time = *campaign::parse_duration(*time);
    exit_code = fuzz(*options);
  });
}

}  // namespace lockstep::cli
