// In the place of a search by somebody else's servers, which VitePress could show and this site does not.
// oxlint-disable-next-line import/no-default-export -- what stands here otherwise has one
export default () => undefined
