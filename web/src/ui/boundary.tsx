import { Component, type ReactNode } from 'react'

type Props = { what: string; children: ReactNode }

export class Boundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <p role="status" className="rounded-md bg-sunken px-3 py-2 text-sm text-soft">
        {this.props.what} cannot be shown.{' '}
        <button
          type="button"
          className="font-medium text-accent hover:underline"
          onClick={() => this.setState({ failed: false })}
        >
          Try again
        </button>
      </p>
    )
  }
}
