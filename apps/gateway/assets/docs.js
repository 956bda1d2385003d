// Shows the OpenAPI document with Swagger UI.

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const followColorScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
followColorScheme();
darkScheme.addEventListener('change', followColorScheme);

/** Attributes that Swagger UI lacks, by selector: for screen readers, for keyboards, and to hide the key. */
const MISSING_ATTRIBUTES = {
  '.information-container': { role: 'region', 'aria-label': 'About' },
  '.scheme-container': { role: 'region', 'aria-label': 'API key' },
  '.responses-table': { role: 'table' },
  '.examples-select-element': { 'aria-label': 'Example' },
  '.parameters-col_description select': { 'aria-label': (select) => select.closest('tr').dataset.paramName },
  '.body-param__text': { 'aria-label': 'Request body' },
  '.opblock-section-request-body input[type="file"]': { 'aria-label': 'File' },
  'pre.microlight': { tabindex: '0' },
  '.modal-ux input': { type: 'password', autocomplete: 'off' },
  '.close-modal': { 'aria-label': 'Close' },
  '.modal-ux h3': { 'aria-level': '2' },
  '.modal-ux h4': { 'aria-level': '3' },
  '.modal-ux h6': { 'aria-level': '4' },
  '.modal-btn[type="submit"]': { 'aria-label': 'Authorize' },
  '.modal-btn[aria-label="Remove authorization"]': { 'aria-label': 'Logout' },
};

function addMissingAttributes() {
  for (const [selector, attributes] of Object.entries(MISSING_ATTRIBUTES)) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        element.setAttribute(name, typeof value === 'function' ? value(element) : value);
      }
    }
  }
}
const page = document.querySelector('#api');
new MutationObserver(addMissingAttributes).observe(page, { childList: true, subtree: true });

/** Removes the examples of optional parameters: Swagger UI would send them. */
function withoutOptionalExamples(document) {
  for (const path of Object.values(document.paths)) {
    for (const { parameters = [] } of Object.values(path)) {
      for (const parameter of parameters) if (!parameter.required) delete parameter.example;
    }
  }
  return document;
}

const plugin = ({ React: { createElement } }) => ({
  statePlugins: {
    spec: {
      wrapActions: { updateJsonSpec: (update) => (document) => update(withoutOptionalExamples(document)) },
      // Following a link would count as a click, and the policy does not allow its destination.
      wrapSelectors: { allowTryItOutFor: () => (_state, path) => path.startsWith('/api/') },
    },
  },
  components: {
    // Requests always go to the host of this page, see `requestInterceptor`.
    ServersContainer: () => null,
    // Without the link that Swagger UI puts into the button: a control inside a control confuses screen readers.
    OperationSummaryPath: ({ operationProps }) =>
      createElement('span', { className: 'opblock-summary-path' }, operationProps.get('path')),
  },
  wrapComponents: {
    // The command does not show the key, so that it can be shared.
    curl:
      (Curl) =>
      ({ request, ...props }) => {
        const header = ['headers', 'Authorization'];
        const shown = request.hasIn(header) ? request.setIn(header, 'Bearer <API_KEY>') : request;
        return createElement(Curl, { ...props, request: shown });
      },
    operations: (Operations) => (props) =>
      createElement('div', null, createElement('h2', null, 'Operations'), createElement(Operations, props)),
  },
});

globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  domNode: page,
  plugins: [plugin],
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: -1,
  syntaxHighlight: false,
  validatorUrl: null,
  // The Content-Security-Policy allows requests to the host of this page only. API_URL can be another one.
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    request.url = location.origin + pathname + search;
    return request;
  },
});
