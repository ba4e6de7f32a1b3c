// A screen whose subject does not exist: says so, and leads back.
import type { VNode } from 'preact'
import { Page, PageText } from '../page.tsx'

type NotHereProps = { title: string; text: string }

export const NotHere = ({ title, text }: NotHereProps): VNode => (
  <Page align="middle" title={title}>
    <PageText>{text}</PageText>
  </Page>
)
