import type { Action, RestrictedKey, Scope } from '@waymark/contract';
import { fieldLabels } from './links.ts';
import { LOCALE } from './locale.ts';

const LIST = new Intl.ListFormat(LOCALE);

/** What a restricted key may do. Each has the API's name of the action in it, as refusals have it, too. */
export const ACTIONS: Record<Action, string> = {
  read: 'Read links, hosts and jobs; export links',
  create: 'Create links',
  update: 'Update links',
  delete: 'Delete links and clicks',
  analytics: 'See analytics and clicks',
};
const SHORT_ACTIONS: Record<Action, string> = {
  read: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
  analytics: 'see analytics',
};
const LINKS: Record<Scope, string> = { full_access: 'All links', public_links_only: 'Public and unlisted links' };

/** Texts of the account settings. */
export const settings = {
  title: 'Settings',
  keys: {
    title: 'API keys',
    text: 'Each key is shown once, when it is created. A new key replaces the old one.',
    full_access: {
      name: 'Full Access',
      text: 'Sees and changes every link. For your own scripts and tools.',
    },
    public_links_only: {
      name: 'Public Links Only',
      text: 'Sees public and unlisted links. Private and password-protected ones do not exist for it.',
    },
    recommended: 'Recommended for AI agents',
    none: 'There is no key: it was revoked.',
    created: (when: string) => `Created ${when}`,
    lastUsed: (when: string) => `Last used ${when}`,
    neverUsed: 'Never used',
    make: 'Create a key',
    makeAnew: 'Create a key…',
    rotate: 'Rotate…',
    revoke: 'Revoke…',
    /** For a key that was never used: most likely nobody has it. */
    makeDialog: {
      title: (name: string) => `Create a ${name} key?`,
      text: 'The current key was never used, so most likely nobody has it. If somebody does, it stops working within 5 seconds.',
      action: 'Create the key',
    },
    uncertain: 'A key that was made cannot be shown: make another one.',
    oldKey: (hint: string, when: string) => `The old key ${hint} works until ${when}`,
    /** Before the current key is rotated or revoked. */
    oldKeyEnds: (hint: string) => `The old key ${hint} stops working at once, too.`,
    rotateDialog: {
      title: (name: string) => `Rotate the ${name} key?`,
      text: 'Every script, tool and agent that has the current key needs the new one before this one stops working. This cannot be undone.',
      action: 'Rotate the key',
      grace: 'The current key',
      graces: [
        { seconds: 0, text: 'stops working at once' },
        { seconds: 3_600, text: 'works for another hour' },
        { seconds: 86_400, text: 'works for another day' },
      ],
      graceHint: 'At once is within 5 seconds. Choose it if somebody has the key who must not.',
    },
    revokeDialog: {
      title: (name: string) => `Revoke the ${name} key?`,
      text: 'It stops working within 5 seconds, and so do the restricted keys that belong to it. Every script, tool and agent that has one of them needs another key. This cannot be undone.',
      action: 'Revoke the key',
      done: 'The key is revoked.',
    },
    made: {
      title: (name: string) => `Your new ${name} key`,
      text: 'Copy it now. It is not shown again.',
      copy: 'Copy the key',
      copied: (name: string) => `The ${name} key is copied.`,
      done: 'I have copied it',
      leave: {
        title: 'Close without copying the key?',
        text: 'The key is not shown again. Without it, you need to create another one.',
        action: 'Close',
        stay: 'Back to the key',
      },
    },
  },
  restricted: {
    title: 'Restricted keys',
    text: 'For an agent or a script that needs less than one of the two keys: only some actions, only links with one hashtag, or only for some time.',
    none: 'There are no restricted keys.',
    links: ({ scope, hashtag }: RestrictedKey) => `${LINKS[scope]}${hashtag === null ? '' : ` with #${hashtag}`}`,
    may: (actions: readonly Action[]) => `May ${LIST.format(actions.map((action) => SHORT_ACTIONS[action]))}`,
    expires: (when: string) => `Expires ${when}`,
    neverExpires: 'Never expires',
    delete: 'Delete…',
    deleteOf: (name: string) => `Delete… ${name}`,
    deleteDialog: {
      title: (name: string) => `Delete the key ${name}?`,
      text: 'Every script and agent that has it stops working within 5 seconds, and jobs that it began end. This cannot be undone.',
      action: 'Delete the key',
      done: 'The key is deleted.',
    },
    make: 'Create a restricted key…',
    form: {
      title: 'Create a restricted key',
      name: fieldLabels.name!,
      nameHint: 'Such as the name of the agent.',
      scope: fieldLabels.scope!,
      scopeHints: {
        full_access: 'It sees private and password-protected links, too.',
        public_links_only: 'It sees public and unlisted links.',
      },
      noKey: (name: string) => `There is no ${name} key. Create that one first.`,
      actions: fieldLabels.actions!,
      hashtag: fieldLabels.hashtag!,
      hashtagHint: 'Only links with this hashtag exist for the key. The links that it creates get the hashtag.',
      expiresAt: 'Expires at the end of',
      expiresHint: 'In the time zone of this device.',
      action: 'Create the key',
      uncertain: 'A key that was made cannot be shown: delete it and create another one.',
    },
  },
  mcp: {
    title: 'Connect an AI agent',
    text: 'Agents use your links over MCP. Give them the Public Links Only key, or a restricted key that belongs to it: neither can see private or password-protected links.',
    withKey: 'The configuration for an MCP client, with this key:',
    client: 'Client',
    copy: (client: string) => `Copy the configuration for ${client}`,
    copied: (client: string) => `The configuration for ${client} is copied.`,
    copiedWithoutKey: (client: string, key: string) =>
      `The configuration for ${client} is copied. Replace ${key} with your key.`,
    keyMissing: (key: string) =>
      `${key} stands for your Public Links Only key, which was shown when it was created. If you do not have it, create one above: this configuration is shown again then, with the key in it.`,
    otherClient: 'Other',
    keyPrompt: 'Waymark API key',
    keyExample: 'key_pub_…',
    files: {
      claudeCode: 'Run this in a terminal.',
      cursor: 'In .cursor/mcp.json of a project, or ~/.cursor/mcp.json.',
      vscode: 'In .vscode/mcp.json. VS Code asks for the key once and keeps it out of the file.',
      codex: 'In ~/.codex/config.toml. Put the key into the environment variable WAYMARK_KEY.',
      geminiCli: 'In ~/.gemini/settings.json, or .gemini/settings.json of a project.',
      windsurf: 'In ~/.codeium/windsurf/mcp_config.json.',
      claudeDesktop: 'For clients that only start local servers. It needs Node 22.12 or later.',
      other: 'Any client with Streamable HTTP: this address, and this header with every request.',
    },
  },
  passkeys: {
    title: 'Passkeys',
    text: 'Sign in with the fingerprint, face or PIN of a device, without a link. Whoever can unlock the device can sign in.',
    name: 'Name of the passkey',
    nameHint: 'Such as the name of the device.',
    unsupported: 'This browser allows passkeys only at an address with HTTPS.',
    delete: 'Delete…',
    deleteOf: (name: string) => `Delete… ${name}`,
    dialog: {
      title: (name: string) => `Delete the passkey ${name}?`,
      text: 'Nobody can sign in with it any more. Sessions that it began go on. Delete it on the device, too.',
      action: 'Delete the passkey',
      done: 'The passkey is deleted.',
    },
  },
  session: {
    title: 'Session',
    text: (username: string) =>
      `You are signed in as ${username}. The session ends 12 hours after its last use, and after 7 days at the latest.`,
    kept: 'All tabs of this browser share it.',
    notKept:
      'This browser keeps no data of this site. You are signed in on this page only, until you reload or close it.',
  },
};
