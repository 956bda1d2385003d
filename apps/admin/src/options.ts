import { PLANS, type Scope } from '@waymark/contract';
import { Option } from 'commander';

/** `--username`, which every command but the list needs. */
export function usernameOption(): Option {
  return new Option('--username <name>', 'the user name of the account').makeOptionMandatory();
}

/** `--plan`, one of the plans. */
export function planOption(): Option {
  return new Option('--plan <plan>', 'the plan of the account').choices(PLANS).makeOptionMandatory();
}

/** `--scope`, which of the two keys. */
export function keyOption(): Option {
  return new Option('--scope <scope>', 'which of the two keys').choices(['live', 'public']).makeOptionMandatory();
}

/** `--json`. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON; an error too, as {"error":"…"} on standard error');
}

/** The scope of the key that `--scope` names. */
export function scopeOf(key: 'live' | 'public'): Scope {
  return key === 'live' ? 'full_access' : 'public_links_only';
}
