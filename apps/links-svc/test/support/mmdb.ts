// Writes small databases in MMDB format (https://maxmind.github.io/MaxMind-DB/).

type Value = string | number | { [name: string]: Value };

/** A node of the tree: for each bit another node, the index of a value, or null. */
interface Node {
  branches: [Node | number | null, Node | number | null];
}

/** Returns a database of IPv4 and IPv6 networks by their bits as text (`bitsOf`), with one value for each. */
export function mmdb(networks: Readonly<Record<string, Value>>): Buffer {
  const root: Node = { branches: [null, null] };
  const values = Object.values(networks).map(encode);
  for (const [index, bits] of Object.keys(networks).entries()) {
    let node = root;
    for (const [at, bit] of [...bits].entries()) {
      const side = bit === '1' ? 1 : 0;
      if (at === bits.length - 1) {
        node.branches[side] = index;
      } else {
        const next = (node.branches[side] ?? { branches: [null, null] }) as Node;
        node.branches[side] = next;
        node = next;
      }
    }
  }
  const nodes: Node[] = [];
  const number = (node: Node): void => {
    nodes.push(node);
    for (const branch of node.branches) if (typeof branch === 'object' && branch !== null) number(branch);
  };
  number(root);
  const offsets = values.map((_, index) => values.slice(0, index).reduce((sum, value) => sum + value.length, 0));
  const tree = Buffer.alloc(nodes.length * 8);
  for (const [index, { branches }] of nodes.entries())
    for (const [side, branch] of branches.entries()) {
      const record =
        branch === null
          ? nodes.length
          : typeof branch === 'number'
            ? nodes.length + 16 + offsets[branch]!
            : nodes.indexOf(branch);
      tree.writeUInt32BE(record, index * 8 + side * 4);
    }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_800_000_000,
    database_type: 'Test-Country',
    description: {},
    ip_version: 6,
    node_count: nodes.length,
    record_size: 32,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...values, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata]);
}

/** Returns the bits of a network, such as `192.0.2.0/24` or `2001:db8::/32`. IPv4 is below ::/96, as in real files. */
export function bitsOf(network: string): string {
  const [address, length] = network.split('/') as [string, string];
  if (!address.includes(':')) {
    const bits = address.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
    return '0'.repeat(96) + bits.join('').slice(0, Number(length));
  }
  const [left, right] = address.split('::').map((side) => (side === '' ? [] : side.split(':'))) as [string[], string[]];
  const words = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  const bits = words.map((word) => Number.parseInt(word, 16).toString(2).padStart(16, '0')).join('');
  return bits.slice(0, Number(length));
}

const TYPES = { text: 2, uint32: 6, map: 7 };

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(TYPES.text, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(TYPES.uint32, 4), bytes]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([
    control(TYPES.map, entries.length),
    ...entries.flatMap(([name, one]) => [encode(name), encode(one)]),
  ]);
}

function control(type: number, size: number): Buffer {
  // Sizes from 29 on need another byte, which has what exceeds 29.
  return size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29]);
}
