// Search in pages that are opened from a folder: browsers start no worker from file:// addresses. There, a hidden frame
// runs the worker's script. It uses self.onmessage and self.postMessage, and nothing else of a worker. Messages are copied,
// as those of a worker are: the script changes the query that it receives.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.head.append(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = (message) => {
        const data = structuredClone(message)
        setTimeout(() => this.onmessage?.({ data }))
      }
      const script = inside.document.createElement("script")
      script.src = new URL(address, location.href)
      this.loaded = new Promise((resolve, reject) => {
        script.onload = resolve
        script.onerror = reject
      })
      this.loaded.catch((error) => this.onerror?.(error))
      inside.document.head.append(script)
    }

    postMessage(message) {
      const data = structuredClone(message)
      this.loaded.then(() => this.frame.contentWindow?.onmessage?.({ data })).catch(() => {})
    }

    terminate() {
      this.frame.remove()
    }
  }
}
