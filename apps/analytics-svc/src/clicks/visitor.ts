import type { Device } from '@waymark/contract';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { NotCountedReason } from './click.ts';
import { deviceOf } from './device.ts';

/** The classification of a User-Agent: the kind of device, and why its clicks do not count (null if they do). */
export interface Visitor {
  /** `other` if its clicks do not count. */
  device: Device;
  notCounted: Exclude<NotCountedReason, 'prefetch'> | null;
}

/** The longest User-Agent that links-svc reports. */
const USER_AGENT_MAX_LENGTH = 384;
const REMEMBERED_MAX = 20_000;

/**
 * Fetchers that make the preview card of a link in a chat or a feed. isbot lists several of them too, but not their
 * kind. WhatsApp and Viber match at the start only: browsers in these apps have the name of the app at the end.
 */
const PREVIEW =
  /facebookexternalhit|facebot|facebookcatalog|twitterbot|slackbot|slack-imgproxy|^whatsapp\/|telegrambot|discordbot|linkedinbot|pinterestbot|skypeuripreview|microsoft-teams-preview|^mastodon\/|bluesky cardyb|redditbot|^viber\/|vkshare|embedly|iframely|google-pagerenderer|line-poker|snap url preview|bitlybot|outbrain|zoom\.us linkpreview|^signal\/|matrix-media-repo|synapse \(bot|nextcloud server crawler/i;

/** HTTP libraries and command-line clients, by the name at the start. Windows PowerShell has its name further on. */
const LIBRARY =
  /^(?:curl|libcurl|wget|httpie|xh|aria2|python|aiohttp|httpx|okhttp|axios|node|node-fetch|undici|got|superagent|needle|bun|deno|go-http-client|go-resty|fasthttp|java|java-http-client|apache-httpclient|apache-httpasyncclient|jakarta commons-httpclient|jersey|ktor|libwww-perl|lwp|lwp-trivial|www-mechanize|http-tiny|mojolicious|guzzlehttp|symfony httpclient|php|ruby|faraday|http\.rb|httparty|rest-client|mechanize|typhoeus|reqwest|ureq|hyper|isahc|postmanruntime|insomnia|bruno-runtime|scrapy|restsharp|dart|dio|lua-resty-http|elixir|hackney|req|powershell|winhttp|cpp-httplib)(?:[ /;(_-]|$)|WindowsPowerShell\//i;

const remembered = new LRUCache<string, Visitor>({ max: REMEMBERED_MAX });

/**
 * Classifies a User-Agent: bot, preview, HTTP library, or a person with a device. isbot's list decides what is a bot;
 * its cost depends only on the length of the text. An iPad that requests desktop pages sends the User-Agent of Safari
 * on macOS, so it counts as a desktop.
 */
export function visitorOf(userAgent: string): Visitor {
  const text = userAgent.slice(0, USER_AGENT_MAX_LENGTH).trim();
  let visitor = remembered.get(text);
  if (visitor === undefined) {
    const reason = notCounted(text);
    visitor = { notCounted: reason, device: reason === null ? deviceOf(text) : 'other' };
    remembered.set(text, visitor);
  }
  return visitor;
}

function notCounted(userAgent: string): Visitor['notCounted'] {
  if (!/[\p{L}\p{N}]/u.test(userAgent)) return 'empty_user_agent';
  if (PREVIEW.test(userAgent)) return 'preview';
  if (LIBRARY.test(userAgent)) return 'library';
  return isbot(userAgent) ? 'bot' : null;
}
