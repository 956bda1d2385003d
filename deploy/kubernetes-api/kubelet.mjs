// Stands in for the kubelet and for a storage driver, against a real Kubernetes API: no container runs. Pods that the
// scheduler bound become ready, and pods that are deleted disappear. Pods of Jobs and tests succeed; while the file JOBS
// says "fail" or "hang", they do that, or with "fail NAME" those with this in their name. Claims get volumes of their
// size, and grow when they ask for more. Prints a line for each pod of a Job with what its node and priority were chosen
// by, and its annotations.
//
//   API=https://127.0.0.1:16443 TOKEN=… NODE_EXTRA_CA_CERTS=apiserver.crt JOBS=file node kubelet.mjs
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { API, TOKEN, JOBS } = process.env;
const EVERY_MS = 250;
const MERGE = 'application/merge-patch+json';

for (;;) {
  try {
    for (const pod of await list('/api/v1/pods')) await runPod(pod);
    for (const claim of await list('/api/v1/persistentvolumeclaims')) await provide(claim);
  } catch (error) {
    console.error(String(error));
  }
  await sleep(EVERY_MS);
}

async function runPod({ metadata, spec, status }) {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) {
    await send('DELETE', `${path}?gracePeriodSeconds=0`);
    return;
  }
  if (spec.nodeName === undefined || status.phase !== 'Pending') return;
  const isTask = metadata.labels?.['job-name'] !== undefined || metadata.annotations?.['helm.sh/hook'] === 'test';
  const now = new Date().toISOString();
  const task = isTask ? taskOf(metadata.name) : 'succeed';
  if (isTask && task !== 'hang') {
    const exitCode = task === 'fail' ? 1 : 0;
    const { nodeSelector = {}, tolerations = [], priorityClassName = 'none', affinity = {} } = spec;
    const annotations = Object.keys(metadata.annotations ?? {}).filter((name) => !name.startsWith('helm.sh/'));
    console.log(
      `${metadata.name}: exit ${exitCode}; nodeSelector ${JSON.stringify(nodeSelector)}, tolerates ${tolerations.map(({ key }) => key)}, priority ${priorityClassName}, affinity ${Object.keys(affinity)}, annotations ${annotations}`,
    );
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: now, finishedAt: now };
    await setStatus(path, {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      startTime: now,
      containerStatuses: statusesOf(spec.containers, { state: { terminated }, ready: false, started: false }),
    });
    return;
  }
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'];
  await setStatus(path, {
    phase: 'Running',
    startTime: now,
    conditions: conditions.map((type) => ({ type, status: 'True', lastTransitionTime: now })),
    containerStatuses: statusesOf(spec.containers, {
      state: { running: { startedAt: now } },
      ready: true,
      started: true,
    }),
  });
}

/** Returns what a pod of a Job or a test does. */
function taskOf(name) {
  if (!existsSync(JOBS)) return 'succeed';
  const [task, part = ''] = readFileSync(JOBS, 'utf8').trim().split(' ');
  return name.includes(part) ? task : 'succeed';
}

/** Makes the volume of a claim, as a driver does, or gives it the size that the claim asks for. */
async function provide({ metadata, spec, status }) {
  if (metadata.deletionTimestamp !== undefined) return;
  const wanted = spec.resources.requests.storage;
  const volume = `volume-${metadata.uid}`;
  if (status.phase === 'Pending' && spec.volumeName === undefined) {
    await send('POST', '/api/v1/persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volume },
      spec: {
        capacity: { storage: wanted },
        accessModes: spec.accessModes,
        storageClassName: spec.storageClassName,
        persistentVolumeReclaimPolicy: 'Delete',
        hostPath: { path: `/nowhere/${metadata.uid}` },
        claimRef: { namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
      },
    });
  } else if (status.phase === 'Bound' && status.capacity.storage !== wanted) {
    await send('PATCH', `/api/v1/persistentvolumes/${volume}`, { spec: { capacity: { storage: wanted } } });
    await setStatus(`/api/v1/namespaces/${metadata.namespace}/persistentvolumeclaims/${metadata.name}`, {
      capacity: { storage: wanted },
    });
  }
}

function statusesOf(containers, status) {
  return containers.map(({ name, image }) => ({ name, image, imageID: image, restartCount: 0, ...status }));
}

async function list(path) {
  return (await send('GET', path)).items;
}

function setStatus(path, status) {
  return send('PATCH', `${path}/status`, { status });
}

/** Sends a request. Others change the same objects, so one that is gone, or exists already, is no error. */
async function send(method, path, body) {
  const response = await fetch(API + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': method === 'PATCH' ? MERGE : 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!response.ok && response.status !== 404 && response.status !== 409)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
