import {
  type AnchorHTMLAttributes,
  type ComponentChildren,
  type ComponentType,
  createContext,
  type VNode,
} from 'preact';
import { useContext, useLayoutEffect } from 'preact/hooks';
import { useExternalValue } from './external-value.ts';

/** The beginning of each address of the dashboard. Paths in the code are without it. */
const BASE = '/app';

interface NavigateOptions {
  /** True if the back button must not lead here again. */
  replace?: boolean | undefined;
  /** What the history keeps with the address. */
  state?: unknown;
}

/** Opens another view, or the same one with another query. */
export function navigate(path: string, { replace = false, state = null }: NavigateOptions = {}): void {
  history[replace ? 'replaceState' : 'pushState'](state, '', BASE + path);
  notify();
}

const listeners = new Set<() => void>();
// One listener for all components, so that they render together: those of the view before may be gone.
const notify = () => {
  for (const listener of listeners) listener();
};
addEventListener('popstate', notify);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const readPath = () => location.pathname.slice(BASE.length).replace(/\/$/, '') || '/';
const readQuery = () => location.search;

/** Returns the path of the address, and {@link navigate}. */
export function useLocation(): [path: string, navigate: typeof navigate] {
  return [useExternalValue(subscribe, readPath), navigate];
}

/** Returns the query of the address, with its question mark. */
export function useQueryText(): string {
  return useExternalValue(subscribe, readQuery);
}

interface RouteProps {
  /** Such as `/links/:id`. Without it, the route is for every address. */
  path?: string;
  component?: ComponentType;
  children?: ComponentChildren;
}

/** A view, for a {@link Switch}. */
export function Route({ component: View, children }: RouteProps) {
  return View ? <View /> : children;
}

const Parameters = createContext<Record<string, string>>({});

/** Shows the first route for the address. */
export function Switch({ children }: { children: VNode<RouteProps>[] }) {
  const [path] = useLocation();
  for (const route of children) {
    const parameters = parametersOf(path, route.props.path ?? path);
    if (parameters !== null) return <Parameters value={parameters}>{route}</Parameters>;
  }
  return null;
}

/** Returns the parameters of a path, or null if the route is not for it. */
function parametersOf(path: string, route: string): Record<string, string> | null {
  const parts = path.split('/');
  const names = route.split('/');
  const isMatch = names.length === parts.length && names.every((name, i) => name.startsWith(':') || name === parts[i]);
  if (!isMatch) return null;
  return Object.fromEntries(names.flatMap((name, i) => (name.startsWith(':') ? [[name.slice(1), parts[i]!]] : [])));
}

/** Returns the parameters in the path of the shown route. */
export function useParameters(): Record<string, string> {
  return useContext(Parameters);
}

/** Replaces the address. */
export function Redirect({ to }: { to: string }) {
  useLayoutEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}

type LinkProps = AnchorHTMLAttributes & NavigateOptions & { href: string };

/** A link to another view. */
export function Link({ href, replace, state, onClick, ...attributes }: LinkProps) {
  return (
    <a
      {...attributes}
      href={BASE + href}
      onClick={(event) => {
        // The browser opens a tab or a window.
        if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
        onClick?.(event);
        event.preventDefault();
        navigate(href, { replace, state });
      }}
    />
  );
}
