import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Every version of a generator and of what its clients use. docs/clients.md names those of the generators. */
export const GENERATORS = { openapiGenerator: '7.25.0', oapiCodegen: '2.8.2', openapiPythonClient: '0.29.1' };
const MAVEN_DEPENDENCY_PLUGIN = '3.8.1';
const JAVA = [
  'com.fasterxml.jackson.core:jackson-databind:2.21.5',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.21.5',
  'org.apache.httpcomponents:httpmime:4.5.14',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:1.3.5',
  'org.openapitools:jackson-databind-nullable:0.2.11',
];
const GO = ['github.com/oapi-codegen/runtime@v1.9.0', 'github.com/oapi-codegen/nullable@v1.2.0'];
const RUST = `
serde = { version = "=1.0.228", features = ["derive"] }
serde_with = { version = "=3.16.0", default-features = false, features = ["base64", "std", "macros"] }
serde_json = "=1.0.145"
serde_repr = "=0.1.20"
url = "=2.5.7"
reqwest = { version = "=0.13.1", default-features = false, features = ["json", "multipart", "query", "form", "stream"] }
tokio = { version = "=1.48.0", features = ["rt", "macros", "fs"] }
tokio-util = { version = "=0.7.17", features = ["codec"] }
`;

const ROOT = join(import.meta.dirname, '../../..');
/** Keeps the generators, and what Rust compiled, which takes minutes. */
export const CACHE = join(ROOT, 'node_modules/.cache/generated-clients');
const GENERATOR = join(CACHE, `openapi-generator-cli-${GENERATORS.openapiGenerator}.jar`);
const OAPI_CODEGEN = join(CACHE, `oapi-codegen-${GENERATORS.oapiCodegen}`);
const VENV = join(CACHE, `openapi-python-client-${GENERATORS.openapiPythonClient}`);
const PYTHON = process.env.PYTHON ?? 'python3';

export interface Command {
  line: readonly [string, ...string[]];
  /** Runs only if this file is missing. */
  unless?: string;
}

/** How a client is generated, compiled and run. Commands run in a folder with the fixtures and `openapi.json`. */
export interface Language {
  name: string;
  /** The program that uses the client. */
  program: string;
  /** Commands that must exist. */
  tools: Command[];
  /** Files beside the fixtures, by their path. */
  files: Record<string, string>;
  env?: Record<string, string>;
  /** Where this language is built in every run, to find what it compiled before. Other languages use a new folder. */
  folder?: string;
  /** Fetches what is missing, from the registries that the machine is configured for. */
  fetch: Command[];
  build: Command[];
  run: Command;
}

const OPENAPI_GENERATOR_TOOLS = [command('java', '-version'), command('mvn', '--version')];
const FETCH_OPENAPI_GENERATOR: Command = {
  line: [
    ...maven('copy'),
    `-Dartifact=org.openapitools:openapi-generator-cli:${GENERATORS.openapiGenerator}`,
    `-DoutputDirectory=${CACHE}`,
  ],
  unless: GENERATOR,
};

const typescript: Language = {
  name: 'typescript',
  program: 'use.ts',
  tools: OPENAPI_GENERATOR_TOOLS,
  files: { 'package.json': '{"type":"module"}' },
  fetch: [FETCH_OPENAPI_GENERATOR],
  build: [
    openapiGenerator('typescript-fetch', 'client', 'importFileExtension=.js'),
    command(
      process.execPath,
      join(dirname(createRequire(join(ROOT, 'package.json')).resolve('typescript/package.json')), 'bin/tsc'),
      ...['--ignoreConfig', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext'],
      ...['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), '--outDir', 'out', 'use.ts'],
    ),
  ],
  run: command(process.execPath, 'out/use.js'),
};

const java: Language = {
  name: 'java',
  program: 'Use.java',
  tools: [...OPENAPI_GENERATOR_TOOLS, command('javac', '-version')],
  files: { 'pom.xml': pom(JAVA) },
  fetch: [FETCH_OPENAPI_GENERATOR, command(...maven('copy-dependencies'), '-DoutputDirectory=lib')],
  build: [
    openapiGenerator(
      'java',
      'client',
      'library=native,useSingleRequestParameter=true,containerDefaultToNull=true,invokerPackage=waymark,apiPackage=waymark.api,modelPackage=waymark.model',
    ),
    command(
      'sh',
      '-c',
      "javac -proc:none -nowarn -d classes -cp 'lib/*' Use.java $(find client/src/main -name '*.java')",
    ),
  ],
  run: command('java', '-cp', 'classes:lib/*', 'Use'),
};

const rust: Language = {
  name: 'rust',
  program: 'src/bin/use.rs',
  tools: [...OPENAPI_GENERATOR_TOOLS, command('cargo', '--version')],
  files: {
    'Cargo.toml': `[package]\nname = "waymark-client"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]${RUST}`,
  },
  folder: join(CACHE, 'rust'),
  fetch: [FETCH_OPENAPI_GENERATOR, command('cargo', 'fetch')],
  build: [
    openapiGenerator('rust', '.', 'packageName=waymark-client,useSingleRequestParameter=true'),
    command('cargo', 'build', '--offline'),
  ],
  run: command('target/debug/use'),
};

const go: Language = {
  name: 'go',
  program: 'main.go',
  tools: [command('go', 'version')],
  files: { 'go.mod': 'module waymark.test/client\n\ngo 1.24\n' },
  env: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod', GOBIN: OAPI_CODEGEN },
  fetch: [
    {
      line: ['go', 'install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${GENERATORS.oapiCodegen}`],
      unless: join(OAPI_CODEGEN, 'oapi-codegen'),
    },
    command('go', 'get', ...GO),
  ],
  build: [
    command('mkdir', 'waymark'),
    command(join(OAPI_CODEGEN, 'oapi-codegen'), '-config', 'config.yaml', '-o', 'waymark/client.go', 'openapi.json'),
    command('go', 'vet', './...'),
    command('go', 'build', '-o', 'use', '.'),
  ],
  run: command('./use'),
};

const python: Language = {
  name: 'python',
  program: 'use.py',
  tools: [command(PYTHON, '-m', 'venv', '--help')],
  files: {},
  fetch: [
    { line: [PYTHON, '-m', 'venv', VENV], unless: join(VENV, 'bin/pip') },
    {
      line: [join(VENV, 'bin/pip'), 'install', `openapi-python-client==${GENERATORS.openapiPythonClient}`],
      unless: join(VENV, 'bin/openapi-python-client'),
    },
  ],
  build: [
    command(
      join(VENV, 'bin/openapi-python-client'),
      ...['generate', '--path', 'openapi.json', '--config', 'config.yaml', '--fail-on-warning'],
      ...['--meta', 'none', '--output-path', 'waymark_client'],
    ),
  ],
  run: command(join(VENV, 'bin/python'), 'use.py'),
};

export const LANGUAGES = [typescript, java, rust, go, python];

function command(...line: [string, ...string[]]): Command {
  return { line };
}

function openapiGenerator(generator: string, output: string, properties: string): Command {
  return command(
    ...['java', '-jar', GENERATOR, 'generate', '-i', 'openapi.json'],
    ...['-g', generator, '-o', output, '--additional-properties', properties],
    // Without `webhooks`: a program sends these requests to nobody, and those in Rust do not compile.
    ...['--global-property', 'apis,models,supportingFiles,apiTests=false,modelTests=false'],
  );
}

function maven(goal: string): [string, ...string[]] {
  return ['mvn', '-q', '-B', `org.apache.maven.plugins:maven-dependency-plugin:${MAVEN_DEPENDENCY_PLUGIN}:${goal}`];
}

function pom(dependencies: readonly string[]): string {
  const coordinates = (of: string) => {
    const [group, artifact, version] = of.split(':');
    return `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
  };
  const all = dependencies.map((one) => `<dependency>${coordinates(one)}</dependency>`);
  return `<project><modelVersion>4.0.0</modelVersion>${coordinates('waymark:use:1')}<dependencies>${all.join('')}</dependencies></project>`;
}
