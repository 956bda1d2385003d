import { type hostsV1, textOfTime } from '@waymark/proto';
import { print } from '@waymark/terminal';
import { Command, Option } from 'commander';
import { type Services, withServices } from './connection.ts';
import { MANIFEST_KINDS, type ManifestKind, manifests } from './hosts/manifests.ts';
import { jsonOption, usernameOption } from './options.ts';
import { table } from './output.ts';

const PAGE_SIZE = 1_000;

interface Selected {
  username?: string;
  json?: boolean;
}

interface ManifestArguments {
  kind: ManifestKind;
  issuer: string;
  service: string;
  gatewayService: string;
  gateway: string;
  gatewayNamespace?: string;
  ingressClass?: string;
}

/** Returns the command `admin host …`. */
export function hostCommand(): Command {
  const host = new Command('host').description('list and verify short hosts, and print what a cluster needs for them');
  host
    .command('list')
    .description('list the short hosts of all accounts, or of one')
    .addOption(new Option('--username <name>', 'only those of this account'))
    .addOption(jsonOption())
    .action(({ username = '', json }: Selected) =>
      withServices(async ({ hosts }, callOptions) => {
        const all = (await listAll(hosts, callOptions, username)).map(hostJson);
        print(json, all, all.length === 0 ? 'There are no short hosts.' : hostTable(all));
      }),
    );
  host
    .command('verify')
    .description('look for the TXT record of a short host now; exits with 1 if the host is not verified then')
    .addOption(usernameOption())
    .addOption(new Option('--host <name>', 'the short host').makeOptionMandatory())
    .addOption(jsonOption())
    .action(({ username, host: name, json }: { username: string; host: string; json?: boolean }) =>
      withServices(async ({ hosts }, callOptions) => {
        const shown = hostJson((await hosts.verifyHost({ username, host: name }, await callOptions())).host!);
        const { name: txtName, value } = shown.txt;
        const isVerified = shown.status === 'verified';
        print(
          json,
          shown,
          isVerified
            ? `${shown.host} is verified.`
            : `${shown.host} is ${shown.status}. Create this TXT record and try again:\n  ${txtName}  ${value}`,
        );
        if (!isVerified) process.exitCode = 1;
      }),
    );
  host
    .command('manifests')
    .description('print what cert-manager and the Gateway API, or an Ingress, need for all verified short hosts')
    .addOption(new Option('--kind <kind>', 'what routes').choices(MANIFEST_KINDS).default('gateway'))
    .addOption(new Option('--issuer <name>', 'the ClusterIssuer of cert-manager').makeOptionMandatory())
    .addOption(new Option('--service <name>', 'the Service of links-svc').default('waymark-links-svc'))
    .addOption(
      new Option('--gateway-service <name>', 'the Service of the gateway, which gets /internal').default(
        'waymark-gateway',
      ),
    )
    .addOption(new Option('--gateway <name>', 'the Gateway that the hosts are added to').default('waymark'))
    .addOption(new Option('--gateway-namespace <name>', 'its namespace, if it is another one'))
    .addOption(new Option('--ingress-class <name>', 'the class of the Ingress'))
    .action(({ gatewayNamespace, ingressClass, ...options }: ManifestArguments) =>
      withServices(async ({ hosts }, callOptions) => {
        const names = (await listAll(hosts, callOptions, ''))
          .filter(({ status }) => status === 'verified')
          .map((one) => one.host);
        process.stdout.write(manifests(names, { ...options, gatewayNamespace, ingressClass }));
      }),
    );
  return host;
}

async function listAll(
  hosts: Services['hosts'],
  callOptions: Parameters<Parameters<typeof withServices>[0]>[1],
  username: string,
): Promise<hostsV1.Host[]> {
  const all: hostsV1.Host[] = [];
  let pageToken = '';
  do {
    const page = await hosts.listHosts({ username, pageSize: PAGE_SIZE, pageToken }, await callOptions());
    all.push(...page.hosts);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return all;
}

function hostJson({ username, host, status, txtName, txtValue, checkedAt }: hostsV1.Host) {
  const checked_at = checkedAt === undefined ? null : textOfTime(checkedAt);
  return { username, host, status, txt: { name: txtName, value: txtValue }, checked_at };
}

function hostTable(hosts: readonly ReturnType<typeof hostJson>[]): string {
  return table(
    ['USERNAME', 'HOST', 'STATUS', 'CHECKED', 'TXT VALUE'],
    hosts.map(({ username, host, status, txt, checked_at }) => [username, host, status, checked_at ?? '-', txt.value]),
  );
}
