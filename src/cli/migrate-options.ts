import { Option, type Command } from 'commander';
import { LAYOUTS } from '../declare/layouts.ts';
import { connection, environment, OUTPUT_FLAG, repeatable } from './options.ts';

/** Options of `migrate`. */
export function migrating(command: Command): Command {
  return environment(connection(command))
    .option('--out <folder>', 'the folder to make; it must be new or empty')
    .addOption(
      new Option(
        '--layout <layout>',
        'how objects are spread over files; default: by-virtual-cluster if there are several, else by-kind',
      ).choices(LAYOUTS),
    )
    .option(
      '--secrets-env <file>',
      'write the values of secrets to a new file that only you can read, as NAME=value lines; git must ignore it',
    )
    .option(
      '--project [environment]',
      'also write a gwconf.yaml beside the folder that manages what is migrated; default name: prod',
    )
    .addOption(repeatable('--gateway <url>', 'only calls to this gateway; default: a folder for each'))
    .addOption(
      repeatable('--virtual-cluster <name>', 'a virtual cluster that v1 of the gateway may not list'),
    )
    .option('--scan', 'only find the uses of v1 in these files and folders; default: the current folder')
    .option('--detailed-exitcode', 'with --scan, exit with 2 if something uses v1')
    .addOption(
      repeatable(
        OUTPUT_FLAG,
        'human or json; with --scan also sarif or github; with =FILE, also write it to a file',
      ),
    );
}
