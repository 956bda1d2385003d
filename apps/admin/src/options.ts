import { PLANS, type Scope } from '@waymark/contract';
import { Option } from 'commander';

/** Returns the option `--username`, which every command except `account list` needs. */
export function usernameOption(): Option {
  return new Option('--username <name>', 'the user name of the account').makeOptionMandatory();
}

/** Returns the option `--plan`. */
export function planOption(): Option {
  return new Option('--plan <plan>', 'the plan of the account').choices(PLANS).makeOptionMandatory();
}

/** Returns the option `--scope`, which selects one of the two keys. */
export function keyOption(description = 'which of the two keys'): Option {
  return new Option('--scope <scope>', description).choices(['live', 'public']).makeOptionMandatory();
}

/** Returns the option `--json`. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON, and errors as {"error":"…"} on standard error');
}

/** Returns the scope of the key that `--scope` selects. */
export function scopeOf(key: 'live' | 'public'): Scope {
  return key === 'live' ? 'full_access' : 'public_links_only';
}
