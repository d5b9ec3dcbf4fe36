// Search in pages that are opened from a folder: browsers start no worker from file:// addresses. There, a hidden frame
// runs the worker's script. It uses self.onmessage and self.postMessage, and nothing else of a worker.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.head.append(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }))
      const script = inside.document.createElement("script")
      script.src = new URL(address, location.href)
      this.loaded = new Promise((resolve, reject) => {
        script.onload = resolve
        script.onerror = reject
      })
      this.loaded.catch((error) => this.onerror?.(error))
      inside.document.head.append(script)
    }

    postMessage(data) {
      this.loaded.then(() => this.frame.contentWindow?.onmessage?.({ data })).catch(() => {})
    }

    terminate() {
      this.frame.remove()
    }
  }
}
