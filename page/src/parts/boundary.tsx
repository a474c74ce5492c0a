import { Component, type ComponentChildren } from 'preact';

interface Props {
  readonly what: string;
  readonly children: ComponentChildren;
}

interface State {
  readonly why?: string;
  /** What was drawn last. */
  readonly of?: ComponentChildren;
}

/** What cannot be drawn says so in its place, and leaves the rest of the page alone. */
export class Boundary extends Component<Props, State> {
  override state: State = {};

  /** What is given anew may be drawn again. */
  static override getDerivedStateFromProps({ children }: Props, { of }: State): State | null {
    return children === of ? null : { of: children, why: undefined };
  }

  static override getDerivedStateFromError(error: unknown): { why: string } {
    return { why: error instanceof Error ? error.message : String(error) };
  }

  render() {
    const { what, children } = this.props;
    const { why } = this.state;
    if (why === undefined) return children;
    return (
      <section class="card">
        <div class="empty is-bad" role="alert">
          <p class="empty-title">{what} cannot be shown.</p>
          <p class="empty-text">{why}</p>
        </div>
      </section>
    );
  }
}
