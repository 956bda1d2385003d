// The interactive parts of the documentation page: the API key, and sending requests.
const KEY_ITEM = 'waymark-api-key';
const keyInput = document.querySelector('#key');
keyInput.value = sessionStorage.getItem(KEY_ITEM) ?? '';
keyInput.addEventListener('input', () => sessionStorage.setItem(KEY_ITEM, keyInput.value.trim()));
document.querySelector('#key-form').addEventListener('submit', (event) => event.preventDefault());

for (const form of document.querySelectorAll('.try form')) {
  const update = () => {
    form.querySelector('.curl code').textContent = curlOf(requestOf(form));
  };
  update();
  form.addEventListener('input', update);
  keyInput.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

/** Returns the request that a form describes, without the key. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll('input')) {
    const value = input.value;
    if (input.dataset.in === 'path')
      path = path.replace(`{${input.name}}`, encodeURIComponent(value) || `{${input.name}}`);
    else if (value !== '' && input.dataset.in === 'query') query.set(input.name, value);
    else if (value !== '') headers[input.name] = value;
  }
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return { method: form.dataset.method, path: query.size > 0 ? `${path}?${query}` : path, headers, body };
}

async function send(form) {
  const request = requestOf(form);
  const result = form.querySelector('.result');
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const response = await fetch(request.path, {
      method: request.method,
      headers: { ...request.headers, Authorization: `Bearer ${keyInput.value.trim()}` },
      body: request.body,
    });
    const text = await response.text();
    show(result, `${response.status} ${response.statusText}`, [...response.headers], pretty(text));
  } catch (error) {
    show(result, 'No answer', [], String(error));
  } finally {
    button.disabled = false;
  }
}

function show(result, status, headers, body) {
  const title = document.createElement('strong');
  title.textContent = status;
  title.className = `status s${status[0]}`;
  const block = document.createElement('pre');
  block.tabIndex = 0;
  block.textContent = `${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${body}`.trim();
  result.replaceChildren(title, block);
  result.hidden = false;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Returns the request as a curl command. The key is a shell variable, so that the page does not show it. */
function curlOf({ method, path, headers, body }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(document.body.dataset.server + path)}`,
    '  -H "Authorization: Bearer $WAYMARK_KEY"',
    ...Object.entries(headers).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`),
  ];
  if (body !== undefined) lines.push(`  -d ${quote(body)}`);
  return lines.join(' \\\n');
}
