import type { Device } from '@waymark/contract';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import UAParser from 'ua-parser-js';
import type { NotCountedReason } from './click.ts';

/** What a User-Agent header tells: the kind of device, and why its clicks do not count, or null where they do. */
export interface Visitor {
  device: Device;
  notCounted: Exclude<NotCountedReason, 'prefetch'> | null;
}

/** No list reads further, and no browser's name is longer. */
const USER_AGENT_MAX_LENGTH = 500;
const REMEMBERED_MAX = 20_000;

/**
 * Fetchers that make the small card of a link in a chat or a feed. Several are in isbot's list as well, which tells
 * nothing of their kind; the apps of WhatsApp and Viber have browsers whose names only end in the app's.
 */
const PREVIEW =
  /facebookexternalhit|facebot|facebookcatalog|twitterbot|slackbot|slack-imgproxy|^whatsapp\/|telegrambot|discordbot|linkedinbot|pinterestbot|skypeuripreview|microsoft-teams-preview|^mastodon\/|bluesky cardyb|redditbot|^viber\/|vkshare|embedly|iframely|google-pagerenderer|line-poker|snap url preview|bitlybot|outbrain|zoom\.us linkpreview|^signal\/|matrix-media-repo|synapse \(bot|nextcloud server crawler/i;

/** HTTP libraries and command-line clients, by the name that they begin with. */
const LIBRARY =
  /^(?:curl|libcurl|wget|httpie|xh|aria2|python|aiohttp|httpx|okhttp|axios|node|node-fetch|undici|got|superagent|needle|bun|deno|go-http-client|go-resty|fasthttp|java|java-http-client|apache-httpclient|apache-httpasyncclient|jakarta commons-httpclient|jersey|ktor|libwww-perl|lwp|lwp-trivial|www-mechanize|http-tiny|mojolicious|guzzlehttp|symfony httpclient|php|ruby|faraday|http\.rb|httparty|rest-client|mechanize|typhoeus|reqwest|ureq|hyper|isahc|postmanruntime|insomnia|bruno-runtime|scrapy|restsharp|dart|dio|lua-resty-http|elixir|hackney|req|powershell|winhttp|cpp-httplib)(?:[ /;(_-]|$)|WindowsPowerShell\//i;

const remembered = new LRUCache<string, Visitor>({ max: REMEMBERED_MAX });

/**
 * Tells bots, previews and HTTP libraries from people, and the devices of people apart. isbot's list decides what is a
 * bot, ua-parser-js's which device it is. An iPad asks for desktop pages with the very words of Safari on macOS: it is
 * a desktop here.
 */
export function visitorOf(userAgent: string): Visitor {
  const text = userAgent.slice(0, USER_AGENT_MAX_LENGTH).trim();
  let visitor = remembered.get(text);
  if (visitor === undefined) {
    visitor = { device: deviceOf(text), notCounted: notCounted(text) };
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

const PHONE_SYSTEM =
  /^(?:Android|iOS|Windows Phone|Windows Mobile|KAIOS|BlackBerry|HarmonyOS|Symbian|Sailfish|Firefox OS)/i;
const DESKTOP_SYSTEM =
  /^(?:Windows|Mac OS|Chromium OS|Chrome OS|Linux|GNU|Unix|Solaris|SunOS|AIX|Haiku|.*BSD|DragonFly|Ubuntu|Kubuntu|Xubuntu|Lubuntu|Debian|Fedora|SUSE|openSUSE|Red ?Hat|CentOS|Arch|Manjaro|Mint|Gentoo|Slackware|Mageia|Deepin|elementary OS|Zorin|PCLinuxOS|Raspbian|Sabayon|VectorLinux|Linpus|Mandriva)/i;

function deviceOf(userAgent: string): Device {
  const { device, os } = UAParser(userAgent);
  if (device.type === 'mobile' || device.type === 'tablet') return device.type;
  // Televisions, consoles, watches, glasses and cars; the parser names no type for an ordinary computer.
  if (device.type !== undefined || os.name === undefined) return 'other';
  if (PHONE_SYSTEM.test(os.name)) return 'mobile';
  return DESKTOP_SYSTEM.test(os.name) ? 'desktop' : 'other';
}
