import { type Command, Option } from 'commander';
import type { ApplyOptions } from './apply/apply.ts';
import { addCommand } from './options.ts';

/** Adds `apply`. */
export function addApplyCommand(program: Command): void {
  addCommand(program, 'apply', 'make the links of a file as the file says, and print the difference')
    .addOption(new Option('-f, --file <path>', 'the file, YAML or JSON; - is standard input').makeOptionMandatory())
    .addOption(
      new Option('--managed-by <name>', 'the name of what owns the links, such as team-a').makeOptionMandatory(),
    )
    .option('--prune', 'delete the links with this --managed-by that the file does not have')
    .option('--dry-run', 'print the difference, and change nothing')
    .action(async (options: ApplyOptions) => {
      // The rules of the API are large, and only this command needs them.
      const { apply } = await import('./apply/apply.ts');
      await apply(options);
    });
}
